//! Logs: one JSON object per line on stderr, masked by the redactor before it is written.
//!
//! A line holds `ts`, `level`, `target`, `message`, the event's fields and, nearest last, those
//! of the spans around it. Texts are cut, so that no line grows without bound.

use std::fmt::{self, Debug, Write as _};
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::{JsonFields, Writer};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, FormattedFields, MakeWriter};
use tracing_subscriber::registry::LookupSpan;

use super::redactor::{HIDDEN, Redactor};

/// Characters of one text in a line.
const TEXT_CHARS_MAX: usize = 2_000;
/// Libraries below us say too much at `info`.
const QUIET: &str = "hyper=warn,reqwest=warn,rustls=warn,actix_server=warn,actix_http=warn,h2=warn";

/// Why logging could not start.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The level is none.
    #[error("LOG_LEVEL `{given}` is no level: use error, warn, info, debug, trace, or `info,relevo::relay=debug`")]
    Level {
        /// What was given.
        given: String,
    },
    /// Somebody started logging before.
    #[error("logging was started twice")]
    Twice,
}

/// Starts logging on stderr for the whole process, panics included. Call it once.
pub fn init(level: &str, redactor: &Arc<Redactor>) -> Result<(), LogError> {
    let subscriber = subscriber(level, redactor, std::io::stderr)?;
    tracing::subscriber::set_global_default(subscriber).map_err(|_| LogError::Twice)?;
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let said = panic
            .payload()
            .downcast_ref::<&str>()
            .map(|s| (*s).to_owned())
            .or_else(|| panic.payload().downcast_ref::<String>().cloned())
            .unwrap_or_default();
        tracing::error!(place, said, "a task panicked");
    }));
    Ok(())
}

/// The same for any writer; what the tests read their lines from.
pub fn subscriber<W>(
    level: &str,
    redactor: &Arc<Redactor>,
    writer: W,
) -> Result<impl Subscriber + Send + Sync + use<W>, LogError>
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    Ok(tracing_subscriber::fmt()
        .with_env_filter(filter(level)?)
        .with_writer(writer)
        // What can't be written (the log's disk is full) is lost; saying so on a stderr that is that very
        // file would panic in the middle of whoever logs.
        .log_internal_errors(false)
        .fmt_fields(JsonFields::new())
        .event_format(Lines(redactor.clone()))
        .finish())
}

/// Is this a level, or a filter?
pub fn check_level(level: &str) -> Result<(), LogError> {
    filter(level).map(drop)
}

/// `info`, or directives like `info,relevo::relay=debug`.
fn filter(level: &str) -> Result<EnvFilter, LogError> {
    let wrong = || LogError::Level {
        given: level.chars().take(80).collect(),
    };
    let level = level.trim();
    let plain = ["off", "error", "warn", "info", "debug", "trace"];
    // A word alone that is no level would be taken for a module's name and silence everything.
    if !level.contains(['=', ',']) && !plain.contains(&level.to_ascii_lowercase().as_str()) {
        return Err(wrong());
    }
    EnvFilter::builder()
        .parse(format!("{QUIET},{level}"))
        .map_err(|_| wrong())
}

/// The shape of a line.
struct Lines(Arc<Redactor>);

impl<S, N> FormatEvent<S, N> for Lines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, mut writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let mut line = Map::new();
        let about = event.metadata();
        line.insert("ts".into(), format!("{:.3}", Timestamp::now()).into());
        line.insert("level".into(), about.level().as_str().to_ascii_lowercase().into());
        line.insert("target".into(), about.target().into());
        let mut fields = Fields(Map::new());
        event.record(&mut fields);
        // The sentence stands first among the fields, wherever the macro put it.
        if let Some(message) = fields.0.remove("message") {
            line.insert("message".into(), self.masked("message", message));
        }
        for span in context.event_scope().into_iter().flat_map(|scope| scope.from_root()) {
            let extensions = span.extensions();
            let Some(recorded) = extensions.get::<FormattedFields<N>>() else {
                continue;
            };
            if let Ok(Value::Object(of_span)) = serde_json::from_str(&recorded.fields) {
                self.fill(&mut line, of_span);
            }
        }
        self.fill(&mut line, fields.0);
        writeln!(writer, "{}", Value::Object(line))
    }
}

impl Lines {
    fn fill(&self, line: &mut Map<String, Value>, fields: Map<String, Value>) {
        for (name, value) in fields {
            let value = self.masked(&name, value);
            // A field can't pass for the line's own: `level` of an alarm is not the log's level.
            let name = match name.as_str() {
                "ts" | "level" | "target" | "message" => format!("field.{name}"),
                _ => name,
            };
            line.insert(name, value);
        }
    }

    fn masked(&self, name: &str, value: Value) -> Value {
        if Redactor::hides_field(name.rsplit('.').next().unwrap_or(name)) {
            return HIDDEN.into();
        }
        match value {
            Value::String(text) => self.0.mask(&cut(&text)).into(),
            Value::Array(items) => items.into_iter().map(|item| self.masked("", item)).collect(),
            Value::Object(fields) => {
                let masked = fields.into_iter().map(|(name, value)| {
                    let value = self.masked(&name, value);
                    (name, value)
                });
                Value::Object(masked.collect())
            }
            other => other,
        }
    }
}

/// The text, cut to what a line holds.
fn cut(text: &str) -> String {
    let mut cut: String = text.chars().take(TEXT_CHARS_MAX).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    cut
}

/// Collects an event's fields.
struct Fields(Map<String, Value>);

impl Fields {
    fn put(&mut self, field: &Field, value: Value) {
        self.0.insert(field.name().trim_start_matches("r#").to_owned(), value);
    }
}

impl Visit for Fields {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value.into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, value.into());
    }

    fn record_error(&mut self, field: &Field, value: &(dyn std::error::Error + 'static)) {
        // The whole chain, once: an error's own words don't repeat its source's.
        let mut chain = value.to_string();
        let mut source = value.source();
        while let Some(error) = source {
            let _ = write!(chain, ": {error}");
            source = error.source();
        }
        self.put(field, chain.into());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.put(field, format!("{value:?}").into());
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::Mutex;

    use super::*;

    /// Keeps what was written.
    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn logged(level: &str, work: impl FnOnce()) -> Vec<Value> {
        let kept = Kept::default();
        let writer = kept.clone();
        let redactor = Arc::new(Redactor::new(["the-auth-token-value"]));
        redactor.learn_names(["Jorge Martínez"]);
        let subscriber = subscriber(level, &redactor, move || writer.clone()).unwrap();
        tracing::subscriber::with_default(subscriber, work);
        let bytes = kept.0.lock().unwrap().clone();
        String::from_utf8(bytes)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    #[test]
    fn a_line_is_one_json_object_with_the_fields_of_its_spans() {
        let lines = logged("info", || {
            let _span = tracing::info_span!("turn", conversation = "c-1", attempt = 2).entered();
            tracing::info!(sid = "SM1", took_ms = 3, "answered\nin two lines");
            tracing::debug!("not shown");
        });
        assert_eq!(lines.len(), 1);
        let line = &lines[0];
        assert_eq!(line["level"], "info");
        assert_eq!(line["message"], "answered\nin two lines");
        assert_eq!((&line["conversation"], &line["attempt"]), (&"c-1".into(), &2.into()));
        assert_eq!((&line["sid"], &line["took_ms"]), (&"SM1".into(), &3.into()));
    }

    #[test]
    fn people_and_secrets_are_masked_in_messages_fields_and_spans() {
        let lines = logged("info", || {
            let _span = tracing::info_span!("turn", from = "whatsapp:+56980000022").entered();
            tracing::warn!(
                who = "Jorge Martínez",
                key = "the-auth-token-value",
                body = "estado sitio 2",
                rut = 5,
                error = ?Err::<(), _>("+56 9 8000 0022"),
                "jorge martinez wrote from 56980000022, 99.100.274-K, e001@demo.example"
            );
        });
        let text = lines[0].to_string();
        for leak in [
            "0000022", "artínez", "artinez", "the-auth", "estado", "100.274", "e001", "8000",
        ] {
            assert!(!text.contains(leak), "{leak} in {text}");
        }
        assert_eq!(lines[0]["from"], "whatsapp:+***0022");
        assert_eq!(lines[0]["rut"], HIDDEN);
    }

    #[test]
    fn a_wrong_level_is_refused_and_directives_are_taken() {
        assert!(filter("verbose").is_err());
        assert!(filter("info,relevo=loud").is_err());
        assert!(filter("info,relevo::relay=debug").is_ok());
        assert!(filter("WARN").is_ok());
    }

    #[test]
    fn a_long_text_is_cut_and_a_field_cannot_pass_for_the_lines_own() {
        let lines = logged("info", || {
            tracing::info!(level = "critical", long = "x".repeat(5_000), "alarm");
        });
        assert_eq!(lines[0]["level"], "info");
        assert_eq!(lines[0]["field.level"], "critical");
        assert_eq!(lines[0]["long"].as_str().unwrap().chars().count(), TEXT_CHARS_MAX + 1);
    }
}
