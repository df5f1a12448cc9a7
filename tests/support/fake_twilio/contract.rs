//! Checks requests against Twilio's own OpenAPI description of the message calls.

use serde_json::Value;

use super::wire::Asked;

/// The description, and what a call has to look like by it.
pub struct Contract(Value);

/// What a request asks for, by the description: the path's template and its values.
pub struct Matched {
    pub template: String,
    pub values: Vec<(String, String)>,
}

impl Matched {
    pub fn value(&self, name: &str) -> &str {
        &self.values.iter().find(|(n, _)| n == name).unwrap().1
    }
}

impl Contract {
    pub fn load() -> Self {
        Self(serde_json::from_str(include_str!("../../vectors/twilio_messages_openapi.json")).unwrap())
    }

    /// The operation of a request, or what is wrong with it.
    pub fn check(&self, asked: &Asked) -> Result<Matched, String> {
        let (template, values) = self.find(asked.path()).ok_or("no such path")?;
        let verb = asked.method.to_lowercase();
        let operation = &self.0["paths"][&template][&verb];
        if operation.is_null() {
            return Err(format!("{verb} is not there on {template}"));
        }
        let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
        let of = |place: &'static str| parameters.iter().filter(move |p| p["in"] == place);
        for (name, value) in &values {
            let parameter = of("path").find(|p| p["name"] == **name).ok_or("unknown path value")?;
            self.fits(&parameter["schema"], value)
                .map_err(|e| format!("{name}: {e}"))?;
        }
        let query = asked.query();
        for (name, value) in &query {
            let parameter = of("query")
                .find(|p| p["name"] == **name)
                .ok_or_else(|| format!("query {name} is not known"))?;
            self.fits(&parameter["schema"], value)
                .map_err(|e| format!("{name}: {e}"))?;
        }
        if let Some(missing) =
            of("query").find(|p| p["required"] == true && !query.iter().any(|(n, _)| p["name"] == **n))
        {
            return Err(format!("query {} is missing", missing["name"]));
        }
        if verb == "post" {
            self.check_form(operation, asked)?;
        }
        Ok(Matched { template, values })
    }

    fn check_form(&self, operation: &Value, asked: &Asked) -> Result<(), String> {
        let kind = asked.header("content-type").unwrap_or_default();
        if kind.split(';').next() != Some("application/x-www-form-urlencoded") {
            return Err(format!("content type {kind}"));
        }
        let schema = &operation["requestBody"]["content"]["application/x-www-form-urlencoded"]["schema"];
        let form = asked.form();
        for (name, value) in &form {
            let property = &schema["properties"][name];
            if property.is_null() {
                return Err(format!("field {name} is not known"));
            }
            self.fits(property, value).map_err(|e| format!("{name}: {e}"))?;
        }
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        match required.iter().find(|r| !form.iter().any(|(n, _)| **r == **n)) {
            Some(missing) => Err(format!("field {missing} is missing")),
            None => Ok(()),
        }
    }

    fn find(&self, path: &str) -> Option<(String, Vec<(String, String)>)> {
        let given: Vec<&str> = path.split('/').collect();
        let paths = self.0["paths"].as_object().unwrap();
        paths.keys().find_map(|template| {
            let wanted: Vec<&str> = template.split('/').collect();
            if wanted.len() != given.len() {
                return None;
            }
            let mut values = Vec::new();
            for (wanted, given) in wanted.iter().zip(&given) {
                match wanted.strip_prefix('{') {
                    None if wanted == given => {}
                    None => return None,
                    Some(rest) => {
                        let (name, suffix) = rest.split_once('}').unwrap();
                        values.push((name.to_owned(), given.strip_suffix(suffix)?.to_owned()));
                    }
                }
            }
            Some((template.clone(), values))
        })
    }

    fn fits(&self, schema: &Value, value: &str) -> Result<(), String> {
        if let Some(name) = schema["$ref"].as_str() {
            let name = name.rsplit('/').next().unwrap();
            return self.fits(&self.0["components"]["schemas"][name], value);
        }
        let wrong = |what: &str| Err(format!("`{value}` is no {what}"));
        if let Some(allowed) = schema["enum"].as_array() {
            return if allowed.iter().any(|a| a == value) {
                Ok(())
            } else {
                wrong("allowed value")
            };
        }
        if let Some(pattern) = schema["pattern"].as_str() {
            return if regex::Regex::new(pattern).unwrap().is_match(value) {
                Ok(())
            } else {
                wrong(pattern)
            };
        }
        match (schema["type"].as_str(), schema["format"].as_str()) {
            (Some("integer"), _) => {
                let Ok(number) = value.parse::<i64>() else {
                    return wrong("integer");
                };
                let max = schema["maximum"].as_i64().unwrap_or(i64::MAX);
                let min = schema["minimum"].as_i64().unwrap_or(i64::MIN);
                if (min..=max).contains(&number) {
                    Ok(())
                } else {
                    wrong("number in range")
                }
            }
            (Some("boolean"), _) if !matches!(value, "true" | "false") => wrong("boolean"),
            (_, Some("date-time")) => {
                // A day is taken as well.
                let day = value.parse::<jiff::civil::Date>().is_ok();
                if day || value.parse::<jiff::Timestamp>().is_ok() {
                    Ok(())
                } else {
                    wrong("date")
                }
            }
            (_, Some("uri")) if !value.starts_with("http://") && !value.starts_with("https://") => wrong("URI"),
            _ => Ok(()),
        }
    }
}

#[test]
fn the_contract_refuses_what_twilio_would() {
    let contract = Contract::load();
    let account = "AC".to_owned() + &"a".repeat(32);
    let asked = |method: &str, rest: &str, form: &str| Asked {
        method: method.into(),
        target: format!("/2010-04-01/Accounts/{account}/{rest}"),
        headers: vec![("Content-Type".into(), "application/x-www-form-urlencoded".into())],
        body: form.as_bytes().to_vec(),
    };
    assert!(
        contract
            .check(&asked("POST", "Messages.json", "To=whatsapp%3A%2B569&Body=a"))
            .is_ok()
    );
    assert!(
        contract
            .check(&asked("GET", "Messages.json?DateSent%3E=2026-11-30&PageSize=50", ""))
            .is_ok()
    );
    for (method, rest, form, what) in [
        ("POST", "Messages.json", "Body=a", "missing"),
        ("POST", "Messages.json", "To=x&Txt=a", "not known"),
        ("POST", "Messages.json", "To=x&StatusCallback=here", "URI"),
        ("GET", "Messages.json?DateSent_gt=2026-11-30", "", "not known"),
        ("GET", "Messages.json?DateSent=%3E%3D2026-11-30", "", "date"),
        ("GET", "Messages.json?PageSize=5000", "", "range"),
        ("GET", "Messages/SM1.json", "", "SM1"),
        ("GET", "Calls.json", "", "no such path"),
    ] {
        let error = contract.check(&asked(method, rest, form)).err().unwrap_or_default();
        assert!(error.contains(what), "{method} {rest} {form}: {error}");
    }
}
