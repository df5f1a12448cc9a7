//! The REST calls.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use jiff::Timestamp;
use jiff::fmt::rfc2822;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::contract::Matched;
use super::faults::Call;
use super::wire::{Answer, Asked};
use super::{ACCOUNT, FakeTwilio, Kept, SENDER, TOKEN};

/// The limit of `Body`.
const BODY_CHARS_MAX: usize = 1600;

impl FakeTwilio {
    pub(super) async fn answer(&self, asked: Asked) -> Answer {
        let call = kind(&asked);
        let Some(call) = call else {
            self.state()
                .broken
                .push(format!("no such call: {} {}", asked.method, asked.target));
            return error(404, 20404);
        };
        self.state().asked.push((call, asked.clone()));
        if let Err(answer) = self.check_credentials(call, &asked) {
            return answer;
        }
        let by_contract = !matches!(call, Call::Media | Call::Store | Call::Typing | Call::Account);
        let matched = match by_contract.then(|| self.0.contract.check(&asked)) {
            None => None,
            Some(Ok(matched)) => Some(matched),
            Some(Err(wrong)) => {
                self.state()
                    .broken
                    .push(format!("{} {}: {wrong}", asked.method, asked.path()));
                return error(400, 20001);
            }
        };
        let fault = self.state().faults.take(call);
        match &fault {
            Some(fault) if !fault.done() => return fault.answer().unwrap(),
            Some(super::Fault::Slow(time)) => tokio::time::sleep(*time).await,
            _ => {}
        }
        let hidden = fault.as_ref().is_some_and(super::Fault::hides_effect);
        let answer = self.regular(call, &asked, matched, hidden);
        if let Some(super::Fault::Late(time)) = &fault {
            tokio::time::sleep(*time).await;
        }
        fault.and_then(|fault| fault.answer()).unwrap_or(answer)
    }

    fn check_credentials(&self, call: Call, asked: &Asked) -> Result<(), Answer> {
        let given = asked.header("authorization");
        if call == Call::Store {
            if given.is_some() {
                self.state()
                    .broken
                    .push("credentials were sent along a redirect".to_owned());
            }
            return Ok(());
        }
        let own = format!("Basic {}", BASE64_STANDARD.encode(format!("{ACCOUNT}:{TOKEN}")));
        if given == Some(own.as_str()) {
            Ok(())
        } else {
            Err(error(401, 20003))
        }
    }

    fn regular(&self, call: Call, asked: &Asked, matched: Option<Matched>, hidden: bool) -> Answer {
        let message = matched.as_ref().and_then(|m| {
            let name = if call == Call::MediaList { "MessageSid" } else { "Sid" };
            m.values.iter().find(|(n, _)| n == name).map(|(_, sid)| sid.clone())
        });
        match call {
            Call::Send => self.take(asked, hidden),
            Call::List => self.list(asked),
            Call::Message => match self.kept(&message.unwrap()) {
                Some(kept) => Answer::json(200, &shown(&kept)),
                None => error(404, 20404),
            },
            Call::MediaList => match self.kept(&message.unwrap()) {
                Some(kept) => Answer::json(200, &files(&kept)),
                None => error(404, 20404),
            },
            Call::Media => self.redirect(asked),
            Call::Store => self.file(asked),
            Call::Typing => self.show_typing(asked),
            Call::Account => Answer::json(200, &json!({"sid": ACCOUNT, "status": "active"})),
        }
    }

    fn take(&self, asked: &Asked, hidden: bool) -> Answer {
        let form = asked.form();
        let field = |name: &str| form.iter().find(|(n, _)| n == name).map(|(_, v)| v.clone());
        let template = field("ContentSid").map(|sid| format!("{sid} {}", field("ContentVariables").unwrap()));
        let (to, body) = (field("To").unwrap(), field("Body").or(template).unwrap_or_default());
        if field("From").as_deref() != Some(SENDER) {
            return error(400, 63007);
        }
        if body.trim().is_empty() && field("MediaUrl").is_none() {
            return error(400, 21602);
        }
        if body.chars().count() > BODY_CHARS_MAX {
            return error(400, 21617);
        }
        let kept = Kept {
            sid: self.new_sid("SM"),
            direction: "outbound-api",
            from: SENDER.to_owned(),
            to,
            body,
            status: "queued".to_owned(),
            error_code: None,
            created: Timestamp::now(),
            files: Vec::new(),
            callback: field("StatusCallback"),
            hidden,
        };
        self.state().messages.push(kept.clone());
        self.report(&kept);
        Answer::json(201, &shown(&kept))
    }

    fn list(&self, asked: &Asked) -> Answer {
        let query = asked.query();
        let value = |name: &str| query.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str());
        let size: usize = value("PageSize").map_or(50, |n| n.parse().unwrap());
        let page: usize = value("Page").map_or(0, |n| n.parse().unwrap());
        let since = value("DateSent>").map(|day| {
            let date: jiff::civil::Date = day.parse().unwrap();
            date.to_zoned_datetime(TimeZone::UTC).unwrap().timestamp()
        });
        let state = self.state();
        let mut found: Vec<&Kept> = state
            .messages
            .iter()
            .filter(|m| value("To").is_none_or(|to| m.to == to))
            .filter(|m| value("From").is_none_or(|from| m.from == from))
            .filter(|m| since.is_none_or(|since| m.created >= since))
            .collect();
        found.sort_by_key(|m| std::cmp::Reverse((m.created, m.sid.clone())));
        let more = found.len() > (page + 1) * size || state.endless_pages;
        let rest: Vec<(String, String)> = query
            .iter()
            .filter(|(n, _)| n != "Page" && n != "PageToken")
            .cloned()
            .collect();
        let next = more.then(|| {
            let next_page = if state.endless_pages { page } else { page + 1 };
            let query = form_urlencoded::Serializer::new(String::new())
                .extend_pairs(rest)
                .append_pair("Page", &next_page.to_string())
                .append_pair("PageToken", &format!("PASM{next_page}"))
                .finish();
            format!("{}?{query}", asked.path())
        });
        let rows: Vec<Value> = found.into_iter().skip(page * size).take(size).map(shown).collect();
        Answer::json(
            200,
            &json!({"messages": rows, "next_page_uri": next, "page": page, "page_size": size}),
        )
    }

    fn redirect(&self, asked: &Asked) -> Answer {
        let mut state = self.state();
        let parts: Vec<&str> = asked.path().split('/').collect();
        let (message, file) = (parts[5], parts[7]);
        let kept = state.messages.iter_mut().find(|m| m.sid.as_str() == message);
        let found = kept.and_then(|m| m.files.iter_mut().find(|f| f.sid == file));
        match found {
            Some(found) if found.absent == 0 => {
                let to = found
                    .astray
                    .clone()
                    .unwrap_or_else(|| format!("{}/store/{message}/{file}", self.base()));
                Answer::Whole {
                    status: 302,
                    headers: vec![("Location".into(), to)],
                    body: Vec::new(),
                }
            }
            Some(found) => {
                found.absent -= 1;
                drop(state);
                error(404, 20404)
            }
            None => error(404, 20404),
        }
    }

    fn file(&self, asked: &Asked) -> Answer {
        let parts: Vec<&str> = asked.path().split('/').collect();
        let kept = self.kept(parts[2]);
        match kept.and_then(|m| m.files.into_iter().find(|f| f.sid == parts[3])) {
            Some(file) => Answer::Whole {
                status: 200,
                headers: vec![("Content-Type".into(), file.content_type)],
                body: file.bytes,
            },
            None => error(404, 0),
        }
    }

    fn show_typing(&self, asked: &Asked) -> Answer {
        let form = asked.form();
        let field = |name: &str| form.iter().find(|(n, _)| n == name).map(|(_, v)| v.clone());
        let message = field("messageId").unwrap_or_default();
        if field("channel").as_deref() != Some("whatsapp")
            || self.kept(&message).is_none_or(|m| m.direction != "inbound")
        {
            self.state()
                .broken
                .push("a typing indicator for no inbound message".to_owned());
            return error(400, 20001);
        }
        self.state().typing.push(message);
        Answer::json(200, &json!({"success": true}))
    }

    fn kept(&self, sid: &str) -> Option<Kept> {
        self.state().messages.iter().find(|m| m.sid.as_str() == sid).cloned()
    }
}

fn kind(asked: &Asked) -> Option<Call> {
    let parts: Vec<&str> = asked.path().split('/').skip(1).collect();
    Some(match (asked.method.as_str(), parts.as_slice()) {
        ("POST", ["2010-04-01", "Accounts", _, "Messages.json"]) => Call::Send,
        ("GET", ["2010-04-01", "Accounts", _, "Messages.json"]) => Call::List,
        ("GET", ["2010-04-01", "Accounts", _, "Messages", _, "Media.json"]) => Call::MediaList,
        ("GET", ["2010-04-01", "Accounts", _, "Messages", _, "Media", file]) if !file.contains('.') => Call::Media,
        ("GET", ["2010-04-01", "Accounts", _, "Messages", _]) => Call::Message,
        ("GET", ["2010-04-01", "Accounts", account]) if account.ends_with(".json") => Call::Account,
        ("GET", ["store", _, _]) => Call::Store,
        ("POST", ["v2", "Indicators", "Typing.json"]) => Call::Typing,
        _ => return None,
    })
}

fn error(status: u16, code: u32) -> Answer {
    super::Fault::Refuse(status, code).answer().unwrap()
}

fn date(at: Timestamp) -> String {
    rfc2822::to_string(&at.to_zoned_datetime(TimeZone::UTC)).unwrap()
}

fn shown(kept: &Kept) -> Value {
    let path = format!("/2010-04-01/Accounts/{ACCOUNT}/Messages/{}", kept.sid);
    json!({
        "sid": kept.sid.as_str(), "account_sid": ACCOUNT, "api_version": "2010-04-01",
        "direction": kept.direction, "from": kept.from, "to": kept.to, "body": kept.body,
        "status": kept.status, "error_code": kept.error_code, "error_message": null,
        "num_media": kept.files.len().to_string(), "num_segments": "1", "price": null, "price_unit": "USD",
        "messaging_service_sid": null, "uri": format!("{path}.json"),
        "date_created": date(kept.created), "date_sent": date(kept.created), "date_updated": date(kept.created),
        "subresource_uris": {"media": format!("{path}/Media.json")},
    })
}

fn files(kept: &Kept) -> Value {
    let list: Vec<Value> = kept
        .files
        .iter()
        .map(|file| {
            json!({
                "sid": file.sid, "account_sid": ACCOUNT, "parent_sid": kept.sid.as_str(),
                "content_type": file.content_type,
                "uri": format!("/2010-04-01/Accounts/{ACCOUNT}/Messages/{}/Media/{}.json", kept.sid, file.sid),
            })
        })
        .collect();
    json!({"media_list": list, "page": 0, "page_size": 50, "next_page_uri": null})
}
