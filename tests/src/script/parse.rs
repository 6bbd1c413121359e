//! Reading scripts.

use anyhow::{Context as _, bail};

use super::{Expected, Request, Script, Step};
use crate::raw::{execute, message, target, text};

/// The scripts of a file.
pub fn parse(source: &str) -> anyhow::Result<Vec<Script>> {
    let mut scripts: Vec<Script> = Vec::new();
    for (index, line) in source.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(title) = line.strip_prefix("== ") {
            scripts.push(Script {
                title: title.to_owned(),
                ..Script::default()
            });
            continue;
        }
        let script = scripts.last_mut().context("a line before the first title")?;
        if let Some(row) = line.strip_prefix("! ") {
            script.differences.push(row.to_owned());
            continue;
        }
        let step = step(line, script).with_context(|| format!("line {}: {line}", index + 1))?;
        script.steps.extend(step.map(|step| (index + 1, step)));
    }
    Ok(scripts)
}

fn step(line: &str, script: &mut Script) -> anyhow::Result<Option<Step>> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let rest = rest.trim();
    Ok(Some(match word {
        "<" => Step::Expect(Expected {
            pintail: tokens(rest),
            postgres: tokens(rest),
            only_15: false,
        }),
        "<pintail" => Step::Expect(Expected {
            pintail: tokens(rest),
            ..Expected::default()
        }),
        "<postgres" | "<postgres15" => {
            let Some((_, Step::Expect(expected))) = script.steps.last_mut() else {
                bail!("`<pintail` comes first");
            };
            expected.postgres = tokens(rest);
            expected.only_15 = word == "<postgres15";
            return Ok(None);
        }
        "only" if rest == "pintail" => {
            script.only_pintail = true;
            return Ok(None);
        }
        "setup" => Step::Setup(rest.to_owned()),
        "open" => Step::Open,
        "tls" => Step::Tls,
        "end" => Step::End,
        "statuses" => Step::Statuses,
        "byte" => Step::Byte(*rest.as_bytes().first().context("which byte?")?),
        "cancel" => Step::Cancel(match rest {
            "" => Request::UntilAnswered,
            "once" => Request::Once,
            "wrong" => Request::WrongKey,
            other => bail!("`{other}` is no way to cancel"),
        }),
        "login" => log_in(rest)?,
        "packet" => {
            let body = bytes(rest)?;
            let length = u32::try_from(body.len() + 4)?;
            Step::Send([&length.to_be_bytes()[..], &body].concat())
        }
        "bytes" => Step::Send(bytes(rest)?),
        _ => Step::Send(frontend(word, rest)?),
    }))
}

/// A frontend message.
fn frontend(word: &str, rest: &str) -> anyhow::Result<Vec<u8>> {
    let mut words = rest.split_whitespace();
    let mut next = || words.next().unwrap_or("-");
    Ok(match word {
        "simple" => message(b'Q', &text(rest)),
        "parse" => {
            let (head, sql) = rest.split_once(':').context("a colon before the statement")?;
            let (name, types) = head.trim().split_once(' ').unwrap_or((head.trim(), ""));
            let types: Vec<u32> = numbers(types)?;
            let mut body = [text(named(name)), text(sql.trim())].concat();
            body.extend(u16::try_from(types.len())?.to_be_bytes());
            body.extend(types.iter().flat_map(|oid| oid.to_be_bytes()));
            message(b'P', &body)
        }
        "bind" => bind(rest)?,
        "both" => in_both_formats(&format!("parse - : {rest}"), "describe statement -", "")?,
        "echo" => {
            let (oid, value) = rest.split_once(' ').context("a type and a value")?;
            let format = if value.starts_with('x') { 1 } else { 0 };
            let values = format!("formats={format} : {value}");
            in_both_formats(&format!("parse - {oid} : SELECT $1"), "", &values)?
        }
        "describe" | "close" => {
            let what = match next() {
                "statement" => b'S',
                "portal" => b'P',
                other => bail!("`{other}` is neither statement nor portal"),
            };
            target(if word == "close" { b'C' } else { b'D' }, what, named(next()))
        }
        "execute" => {
            let portal = named(next());
            execute(portal, next().parse().unwrap_or(0))
        }
        "sync" => message(b'S', &[]),
        "flush" => message(b'H', &[]),
        "terminate" => message(b'X', &[]),
        "data" => message(b'd', &bytes(rest)?),
        "done" => message(b'c', &[]),
        "fail" => message(b'f', &text(rest)),
        "send" => {
            let (kind, body) = rest.split_once(' ').unwrap_or((rest, ""));
            message(*kind.as_bytes().first().context("which type?")?, &bytes(body)?)
        }
        other => bail!("`{other}` is no step"),
    })
}

/// A statement executed twice, for a result in text and for one in binary.
fn in_both_formats(parse: &str, describe: &str, values: &str) -> anyhow::Result<Vec<u8>> {
    let (text, binary) = (
        format!("bind - - results=0 {values}"),
        format!("bind - - results=1 {values}"),
    );
    let lines = [parse, describe, &text, "execute -", &binary, "execute -", "sync"];
    let lines = lines.into_iter().filter(|line| !line.is_empty());
    let messages = lines.map(|line| {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        frontend(word, rest)
    });
    Ok(messages.collect::<anyhow::Result<Vec<_>>>()?.concat())
}

fn log_in(rest: &str) -> anyhow::Result<Step> {
    let mut words = rest.split_whitespace();
    let (major, minor) = words.next().unwrap_or("3.0").split_once('.').context("a version")?;
    let parameters = words
        .map(|word| word.split_once('=').context("name=value"))
        .map(|pair| pair.map(|(name, value)| (name.to_owned(), value.replace('~', " "))))
        .collect::<anyhow::Result<_>>()?;
    Ok(Step::LogIn {
        version: major.parse::<u32>()? << 16 | minor.parse::<u32>()?,
        parameters,
    })
}

fn bind(rest: &str) -> anyhow::Result<Vec<u8>> {
    let (head, values) = rest.split_once(':').unwrap_or((rest, ""));
    let mut words = head.split_whitespace();
    let mut body = text(named(words.next().context("a portal")?));
    body.extend(text(named(words.next().context("a statement")?)));
    let (mut formats, mut results) = (Vec::new(), Vec::new());
    for word in words {
        match word.split_once('=') {
            Some(("formats", list)) => formats = numbers::<u16>(list)?,
            Some(("results", list)) => results = numbers::<u16>(list)?,
            _ => bail!("`{word}` is neither formats nor results"),
        }
    }
    let codes = |body: &mut Vec<u8>, codes: &[u16]| -> anyhow::Result<()> {
        body.extend(u16::try_from(codes.len())?.to_be_bytes());
        body.extend(codes.iter().flat_map(|code| code.to_be_bytes()));
        Ok(())
    };
    codes(&mut body, &formats)?;
    let values = items(values)?;
    body.extend(u16::try_from(values.len())?.to_be_bytes());
    for value in values {
        match value {
            None => body.extend((-1i32).to_be_bytes()),
            Some(value) => {
                body.extend(u32::try_from(value.len())?.to_be_bytes());
                body.extend(value);
            }
        }
    }
    codes(&mut body, &results)?;
    Ok(message(b'B', &body))
}

fn named(name: &str) -> &str {
    if name == "-" { "" } else { name }
}

fn numbers<T: std::str::FromStr>(list: &str) -> anyhow::Result<Vec<T>>
where
    T::Err: std::error::Error + Send + Sync + 'static,
{
    let parts = list.split(',').map(str::trim).filter(|part| !part.is_empty());
    Ok(parts.map(str::parse).collect::<Result<_, _>>()?)
}

/// Answers in short; `D*3` is three times `D`.
fn tokens(text: &str) -> Vec<String> {
    let words = text.split_whitespace().flat_map(|word| {
        let times = word.split_once('*').filter(|(kind, _)| kind.len() == 1);
        let (word, times) = times.map_or((word, Some(1)), |(kind, times)| (kind, times.parse().ok()));
        std::iter::repeat_n(word.to_owned(), times.unwrap_or(1))
    });
    words.collect()
}

/// Strings in quotes, bytes in hexadecimal (`x00ff`), numbers (`i16:5`, `i32:-1`), `z` for a zero byte: all in a row.
fn bytes(text: &str) -> anyhow::Result<Vec<u8>> {
    Ok(items(text)?.into_iter().flatten().flatten().collect())
}

fn items(text: &str) -> anyhow::Result<Vec<Option<Vec<u8>>>> {
    let mut items = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        if let Some(quoted) = rest.strip_prefix('\'') {
            let end = quoted.find('\'').context("a quote that is not closed")?;
            let unescaped = quoted[..end]
                .replace("\\n", "\n")
                .replace("\\t", "\t")
                .replace("\\\\", "\\");
            items.push(Some(unescaped.into_bytes()));
            rest = quoted[end + 1..].trim_start();
            continue;
        }
        let (word, more) = rest.split_once(' ').unwrap_or((rest, ""));
        items.push(item(word)?);
        rest = more.trim_start();
    }
    Ok(items)
}

fn item(word: &str) -> anyhow::Result<Option<Vec<u8>>> {
    Ok(match word {
        "null" => None,
        "z" => Some(vec![0]),
        _ => {
            if let Some(number) = word.strip_prefix("i16:") {
                Some(number.parse::<i16>()?.to_be_bytes().to_vec())
            } else if let Some(number) = word.strip_prefix("i32:") {
                Some(number.parse::<i32>()?.to_be_bytes().to_vec())
            } else if let Some(hex) = word.strip_prefix('x') {
                let digits = hex.as_bytes().chunks(2);
                let byte = |pair| Ok(u8::from_str_radix(std::str::from_utf8(pair)?, 16)?);
                Some(digits.map(byte).collect::<anyhow::Result<_>>()?)
            } else {
                bail!("`{word}` is no value")
            }
        }
    })
}
