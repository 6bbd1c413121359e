//! Answers as tables, or as the JSON that they came in.

use serde_json::Value;

/// Prints answers.
pub(super) struct Printer<'a> {
    json: bool,
    say: &'a dyn Fn(&str),
}

impl<'a> Printer<'a> {
    pub(super) fn new(json: bool, say: &'a dyn Fn(&str)) -> Self {
        Self { json, say }
    }

    /// A sentence for a person; not printed with JSON.
    pub(super) fn note(&self, text: &str) {
        if !self.json {
            (self.say)(text);
        }
    }

    /// One thing: a line a member.
    pub(super) fn one(&self, value: &Value) {
        if self.json || !value.is_object() {
            return self.raw(value);
        }
        let Some(members) = value.as_object() else { return };
        let width = members.keys().map(String::len).max().unwrap_or(0);
        for (name, value) in members {
            (self.say)(&format!("{name:width$}  {}", cell(value)));
        }
    }

    /// A list: a line an entry, with these columns.
    pub(super) fn many(&self, items: &[Value], columns: &[&str]) {
        if self.json {
            return self.raw(&Value::Array(items.to_vec()));
        }
        let head = columns.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let rows: Vec<Vec<String>> = std::iter::once(head)
            .chain(items.iter().map(|item| {
                columns
                    .iter()
                    .map(|name| item.get(name).map(cell).unwrap_or_default())
                    .collect()
            }))
            .collect();
        let widths: Vec<usize> = (0..columns.len())
            .map(|index| rows.iter().map(|row| row[index].chars().count()).max().unwrap_or(0))
            .collect();
        for row in &rows {
            let line: String = row
                .iter()
                .zip(&widths)
                .map(|(text, width)| format!("{text:width$}  "))
                .collect();
            (self.say)(line.trim_end());
        }
    }

    fn raw(&self, value: &Value) {
        (self.say)(&serde_json::to_string_pretty(value).unwrap_or_default());
    }
}

/// A value without its quotes; control characters of a name do not reach the terminal.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text
            .chars()
            .flat_map(|c| {
                if c.is_control() {
                    c.escape_default().collect()
                } else {
                    vec![c]
                }
            })
            .collect(),
        Value::Array(items) => items.iter().map(cell).collect::<Vec<_>>().join(", "),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| format!("{name}={}", cell(value)))
            .collect::<Vec<_>>()
            .join(" "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use serde_json::json;

    use super::*;

    #[test]
    fn tables_line_up_and_escape_control_characters() {
        let said = RefCell::new(Vec::new());
        let say = |line: &str| said.borrow_mut().push(line.to_owned());
        let items = [
            json!({"slug": "acme", "hosts": ["a", "b"]}),
            json!({"slug": "x\u{1b}[2J"}),
        ];
        Printer::new(false, &say).many(&items, &["slug", "hosts"]);
        assert_eq!(
            said.into_inner(),
            ["slug        hosts", "acme        a, b", "x\\u{1b}[2J"]
        );
    }
}
