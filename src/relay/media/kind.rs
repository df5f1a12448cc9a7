//! What a file is, by its content: the header is only a hint between things that look alike.

/// What can't be told.
const UNKNOWN: &str = "application/octet-stream";
/// Bytes looked at to tell text from data.
const TEXT_PROBE: usize = 4096;

/// The MIME type of a file by its bytes, without parameters.
pub(super) fn of(bytes: &[u8], hint: Option<&str>) -> String {
    let hint = hint.map(essence).unwrap_or_default();
    let Some(found) = infer::get(bytes).map(|kind| kind.mime_type()) else {
        return text(bytes, &hint).to_owned();
    };
    // Opus is what is in the container; Ogg is the container, and what everybody calls it.
    let found = if found == "audio/opus" { "audio/ogg" } else { found };
    // An MP4, Ogg, WebM or 3GPP container may hold sound alone; the bytes at the front don't say.
    let container = |mime: &str| mime.split_once('/').map(|(_, kind)| kind.to_owned());
    if matches!(hint.split_once('/'), Some(("audio" | "video", _))) && container(found) == container(&hint) {
        return hint;
    }
    found.to_owned()
}

/// A file name's ending, for people who look into the folder: by the bytes alone, so that the
/// same content has one name.
pub(super) fn ending(bytes: &[u8]) -> &'static str {
    match infer::get(bytes).map(|kind| kind.extension()) {
        Some("opus") => "ogg",
        Some(extension) => extension,
        None if text(bytes, "") == UNKNOWN => "bin",
        None => "txt",
    }
}

/// `audio/ogg; codecs=opus` to `audio/ogg`.
fn essence(content_type: &str) -> String {
    content_type
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase()
}

fn text<'h>(bytes: &[u8], hint: &'h str) -> &'h str {
    let probe = bytes.get(..TEXT_PROBE).unwrap_or(bytes);
    let readable = match std::str::from_utf8(probe) {
        Ok(text) => text,
        // The probe may end inside a character.
        Err(error) if probe.len() < bytes.len() && error.error_len().is_none() => {
            let sound = probe.get(..error.valid_up_to()).unwrap_or_default();
            std::str::from_utf8(sound).unwrap_or_default()
        }
        Err(_) => "",
    };
    let trimmed = readable.trim_start_matches('\u{feff}').trim_start();
    let data = trimmed.is_empty() || trimmed.chars().any(|c| c.is_control() && !c.is_whitespace());
    match hint {
        _ if data => UNKNOWN,
        _ if trimmed
            .get(..11)
            .is_some_and(|head| head.eq_ignore_ascii_case("BEGIN:VCARD")) =>
        {
            "text/vcard"
        }
        "text/csv" | "text/calendar" => hint,
        _ => "text/plain",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_decides_and_the_header_only_between_look_alikes() {
        let mp4 = b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom";
        for (bytes, hint, is) in [
            (b"\xff\xd8\xff\xe0JFIF".as_slice(), "application/pdf", "image/jpeg"),
            (b"\x89PNG\r\n\x1a\n", "image/jpeg", "image/png"),
            (b"%PDF-1.7", "image/jpeg", "application/pdf"),
            (
                b"OggS\0\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0OpusHead",
                "audio/ogg; codecs=opus",
                "audio/ogg",
            ),
            (mp4, "audio/mp4", "audio/mp4"),
            (mp4, "image/jpeg", "video/mp4"),
            (b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp", "image/webp"),
            (b"BEGIN:VCARD\nFN:Ana\nEND:VCARD", "text/x-vcard", "text/vcard"),
            (b"begin:vcard\r\n", "text/directory", "text/vcard"),
            (b"a,b\n1,2", "text/csv", "text/csv"),
            ("señal débil".as_bytes(), "image/jpeg", "text/plain"),
            (b"\0\x01\x02\x03", "image/jpeg", UNKNOWN),
            (b"\xf3\xf3", "text/plain", UNKNOWN),
            (b"", "text/plain", UNKNOWN),
        ] {
            assert_eq!(of(bytes, Some(hint)), is, "{bytes:?} {hint}");
        }
    }

    #[test]
    fn a_long_text_may_be_cut_inside_a_character() {
        let text = format!("x{}", "ñ".repeat(4000));
        assert_eq!(of(text.as_bytes(), None), "text/plain");
        assert_eq!(ending(text.as_bytes()), "txt");
        assert_eq!(ending(b"\0\x01"), "bin");
    }
}
