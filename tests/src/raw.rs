//! A client that sends what it is told, right or wrong, and shows what comes back in short.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use postgres_protocol::authentication::sasl::{ChannelBinding, SCRAM_SHA_256, ScramSha256};
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConnection, StreamOwned};

use crate::Installation;
use crate::tls::client_config;

/// A server that a [`Raw`] client can be a client of.
pub trait Endpoint {
    /// Its port on the loopback address.
    fn port(&self) -> u16;
    /// A user.
    fn user(&self) -> &str;
    /// The user's password.
    fn password(&self) -> &str;
    /// A database of the user's.
    fn database(&self) -> &str;
}

impl Endpoint for Installation {
    fn port(&self) -> u16 {
        Self::port(self)
    }

    fn user(&self) -> &str {
        self.variable("PGUSER")
    }

    fn password(&self) -> &str {
        self.variable("PGPASSWORD")
    }

    fn database(&self) -> &str {
        self.variable("PGDATABASE")
    }
}

/// No answer takes longer.
const PATIENCE: Duration = Duration::from_mins(1);

trait Stream: Read + Write + Send {}
impl<T: Read + Write + Send> Stream for T {}

/// A connection, at whatever stage.
pub struct Raw {
    stream: Box<dyn Stream>,
    socket: TcpStream,
    /// `BackendKeyData`: process id and secret.
    key: Vec<u8>,
    statuses: Vec<String>,
}

/// A message of the server.
pub struct Answer {
    /// Its type.
    pub kind: u8,
    /// What follows the length word.
    pub body: Vec<u8>,
}

impl Raw {
    /// A connection on which nothing was sent.
    pub fn open(server: &impl Endpoint) -> anyhow::Result<Self> {
        let socket = TcpStream::connect(("127.0.0.1", server.port()))?;
        socket.set_read_timeout(Some(PATIENCE))?;
        socket.set_nodelay(true)?;
        Ok(Self {
            stream: Box::new(socket.try_clone()?),
            socket,
            key: Vec::new(),
            statuses: Vec::new(),
        })
    }

    /// A session in plain text, authenticated and ready.
    pub fn session(server: &impl Endpoint) -> anyhow::Result<Self> {
        let mut raw = Self::open(server)?;
        let answers = raw.log_in(server, 3 << 16, &[])?;
        anyhow::ensure!(answers == ["Z:I"], "the log-in was answered {answers:?}");
        Ok(raw)
    }

    /// A connection in TLS from its first byte, with these protocols offered (ALPN).
    pub fn open_in_tls(server: &impl Endpoint, protocols: &[&str]) -> anyhow::Result<Self> {
        let mut raw = Self::open(server)?;
        raw.offer(protocols)?;
        Ok(raw)
    }

    /// Goes on inside TLS, after the server's `S`.
    pub fn go_into_tls(&mut self) -> anyhow::Result<()> {
        self.offer(&[])
    }

    fn offer(&mut self, protocols: &[&str]) -> anyhow::Result<()> {
        let mut config = client_config()?;
        config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        let connection = ClientConnection::new(Arc::new(config), ServerName::try_from("localhost")?)?;
        self.stream = Box::new(StreamOwned::new(connection, self.socket.try_clone()?));
        Ok(())
    }

    /// Sends a start-up packet and authenticates; gives the messages up to the first `ReadyForQuery`, in short.
    pub fn log_in(
        &mut self,
        server: &impl Endpoint,
        version: u32,
        more: &[(&str, &str)],
    ) -> anyhow::Result<Vec<String>> {
        let (user, database) = (server.user(), server.database());
        let mut body = version.to_be_bytes().to_vec();
        for (name, value) in [("user", user), ("database", database)].iter().chain(more) {
            body.extend(text(name));
            body.extend(text(value));
        }
        body.push(0);
        self.packet(&body)?;
        self.authenticate(server.password())
    }

    /// Answers the server's questions for a password; gives the messages up to the first `ReadyForQuery` or error, in short.
    pub fn authenticate(&mut self, password: &str) -> anyhow::Result<Vec<String>> {
        let mut scram = ScramSha256::new(password.as_bytes(), ChannelBinding::unsupported());
        let mut seen = Vec::new();
        loop {
            let answer = self.receive()?.context("the server closed during authentication")?;
            match (answer.kind, answer.body.get(..4)) {
                (b'R', Some([0, 0, 0, 10])) => {
                    let mut body = text(SCRAM_SHA_256);
                    body.extend(u32::try_from(scram.message().len())?.to_be_bytes());
                    body.extend(scram.message());
                    self.send(b'p', &body)?;
                }
                (b'R', Some([0, 0, 0, 11])) => {
                    scram.update(&answer.body[4..])?;
                    let message = scram.message().to_vec();
                    self.send(b'p', &message)?;
                }
                (b'R', Some([0, 0, 0, 12])) => scram.finish(&answer.body[4..])?,
                (b'K', _) => self.key.clone_from(&answer.body),
                (b'Z' | b'E', _) => {
                    seen.push(answer.short());
                    return Ok(seen);
                }
                (b'S', _) => self.statuses.push(answer.long()),
                (b'R', _) => {}
                _ => seen.push(answer.short()),
            }
        }
    }

    /// Process id and secret of this session, as a cancel request carries them.
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// The parameter statuses that came with the log-in, each as `S(name=value)`.
    pub fn statuses(&self) -> &[String] {
        &self.statuses
    }

    /// Sends bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.stream.write_all(bytes)?;
        Ok(self.stream.flush()?)
    }

    /// Sends a packet without a type: length and body.
    pub fn packet(&mut self, body: &[u8]) -> anyhow::Result<()> {
        let mut packet = u32::try_from(body.len() + 4)?.to_be_bytes().to_vec();
        packet.extend(body);
        self.bytes(&packet)
    }

    /// Sends a message.
    pub fn send(&mut self, kind: u8, body: &[u8]) -> anyhow::Result<()> {
        self.bytes(&message(kind, body))
    }

    /// Says that nothing more comes.
    pub fn end(&mut self) -> anyhow::Result<()> {
        Ok(self.socket.shutdown(Shutdown::Write)?)
    }

    /// Whether the server sent something, after waiting for it. Not for TLS.
    pub fn has_input(&self, limit: Duration) -> anyhow::Result<bool> {
        self.socket.set_read_timeout(Some(limit))?;
        let peeked = self.socket.peek(&mut [0]);
        self.socket.set_read_timeout(Some(PATIENCE))?;
        Ok(peeked.is_ok())
    }

    /// One byte, as after a request for encryption.
    pub fn byte(&mut self) -> anyhow::Result<u8> {
        let mut byte = [0];
        self.stream.read_exact(&mut byte)?;
        Ok(byte[0])
    }

    /// What one read gives, 64 KiB at the most.
    pub fn chunk(&mut self) -> anyhow::Result<Vec<u8>> {
        let mut chunk = vec![0; 64 << 10];
        let length = self.stream.read(&mut chunk)?;
        anyhow::ensure!(length > 0, "the server closed");
        chunk.truncate(length);
        Ok(chunk)
    }

    /// Everything up to the server's close.
    pub fn rest(&mut self) -> anyhow::Result<Vec<u8>> {
        let mut rest = Vec::new();
        match self.stream.read_to_end(&mut rest) {
            // A server that closes with input unread resets the connection: as good as a close.
            Err(error) if error.kind() != std::io::ErrorKind::ConnectionReset => Err(error.into()),
            _ => Ok(rest),
        }
    }

    /// The next message; `None` where the server closed.
    pub fn receive(&mut self) -> anyhow::Result<Option<Answer>> {
        let mut head = [0; 5];
        match self.stream.read_exact(&mut head) {
            Err(error)
                if matches!(
                    error.kind(),
                    std::io::ErrorKind::UnexpectedEof | std::io::ErrorKind::ConnectionReset
                ) =>
            {
                return Ok(None);
            }
            other => other?,
        }
        let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]);
        let mut body = vec![0; usize::try_from(length)?.checked_sub(4).context("a length below 4")?];
        self.stream.read_exact(&mut body)?;
        Ok(Some(Answer { kind: head[0], body }))
    }

    /// The next `count` messages in short; parameter statuses are not counted.
    pub fn some(&mut self, count: usize) -> anyhow::Result<String> {
        let mut seen = Vec::new();
        while seen.len() < count {
            let answer = self
                .receive()?
                .with_context(|| format!("the server closed after {seen:?}"))?;
            if answer.kind != b'S' {
                seen.push(answer.short());
            }
        }
        Ok(seen.join(" "))
    }

    /// The messages up to `ReadyForQuery` or the server's close, in short.
    pub fn answers(&mut self) -> anyhow::Result<String> {
        let mut seen = Vec::new();
        loop {
            match self.receive()? {
                Some(answer) if answer.kind == b'S' => {}
                Some(answer) => {
                    seen.push(answer.short());
                    if answer.kind == b'Z' {
                        break;
                    }
                }
                None => {
                    seen.push("closed".to_owned());
                    break;
                }
            }
        }
        Ok(seen.join(" "))
    }

    /// A simple query's answers in short.
    pub fn query(&mut self, sql: &str) -> anyhow::Result<String> {
        self.send(b'Q', &text(sql))?;
        self.answers()
    }

    /// Sends messages and a Sync; gives the answers in short.
    pub fn batch(&mut self, messages: &[Vec<u8>]) -> anyhow::Result<String> {
        let mut bytes = messages.concat();
        bytes.extend(message(b'S', &[]));
        self.bytes(&bytes)?;
        self.answers()
    }
}

impl Answer {
    /// `E:code`, `N:code`, `C:tag`, `Z:status`, `T:columns`, else the type alone.
    pub fn short(&self) -> String {
        let kind = char::from(self.kind);
        match self.kind {
            b'E' | b'N' => format!("{kind}:{}", self.field(b'C').unwrap_or_default()),
            b'C' => format!("C:{}", until_zero(&self.body)),
            b'Z' => format!("Z:{}", self.body.first().map_or('?', |byte| char::from(*byte))),
            b'T' => format!("T:{}", self.count()),
            _ => kind.to_string(),
        }
    }

    /// What is inside too: `D(values)`, `d(data)`, `T(names)`, `t(types)`, `S(name=value)`, `A(channel,payload)`, `G(format,
    /// formats of columns)`; else as [`Answer::short`].
    pub fn long(&self) -> String {
        let kind = char::from(self.kind);
        let inside = match self.kind {
            b'D' => self.values(),
            b'd' => vec![shown(&self.body)],
            b'T' => self.columns().into_iter().map(|column| column.name).collect(),
            b'G' | b'H' => self.copy_formats(),
            b't' => self.body[2..]
                .chunks_exact(4)
                .map(|oid| u32::from_be_bytes([oid[0], oid[1], oid[2], oid[3]]).to_string())
                .collect(),
            b'S' => {
                let mut parts = self.body.split(|byte| *byte == 0).map(String::from_utf8_lossy);
                let (name, value) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
                vec![format!("{name}={value}")]
            }
            b'A' => {
                let parts = self.body.get(4..).unwrap_or_default().split(|byte| *byte == 0);
                parts
                    .take(2)
                    .map(|part| String::from_utf8_lossy(part).into_owned())
                    .collect()
            }
            _ => return self.short(),
        };
        format!("{kind}({})", inside.join(","))
    }

    /// All that a description or an error says, in parts: `name:type:modifier` of each column, with `:1` where it is binary and
    /// `@table.number` where it is one of the `table`-th table seen; the fields of an error, the code first. Nothing for other messages.
    pub fn parts(&self) -> Vec<String> {
        match self.kind {
            b'T' => {
                let mut tables: Vec<u32> = vec![0];
                let columns = self.columns();
                let told = columns.iter().map(|column| {
                    let known = tables.iter().position(|table| *table == column.table);
                    let table = known.unwrap_or_else(|| {
                        tables.push(column.table);
                        tables.len() - 1
                    });
                    column.told(table)
                });
                told.collect()
            }
            b'E' | b'N' => {
                let fields = self.body.split(|byte| *byte == 0).filter(|field| !field.is_empty());
                let told = fields.map(|field| (field[0], String::from_utf8_lossy(&field[1..])));
                told.map(|(name, value)| match name {
                    b'C' => value.into_owned(),
                    name => format!("{}={value}", char::from(name)),
                })
                .collect()
            }
            _ => Vec::new(),
        }
    }

    /// The format of a COPY and of its columns.
    fn copy_formats(&self) -> Vec<String> {
        let overall = self.body.first().map(ToString::to_string);
        let columns = self.body.get(3..).unwrap_or_default().chunks_exact(2);
        overall
            .into_iter()
            .chain(columns.map(|code| u16::from_be_bytes([code[0], code[1]]).to_string()))
            .collect()
    }

    fn count(&self) -> u16 {
        self.body
            .get(..2)
            .map_or(0, |count| u16::from_be_bytes([count[0], count[1]]))
    }

    /// The values of a `DataRow`; bytes that are no text are in hexadecimal.
    fn values(&self) -> Vec<String> {
        let mut rest = self.body.get(2..).unwrap_or_default();
        let mut values = Vec::new();
        while let Some((length, after)) = rest.split_first_chunk::<4>() {
            let Ok(length) = usize::try_from(i32::from_be_bytes(*length)) else {
                values.push("NULL".to_owned());
                rest = after;
                continue;
            };
            let (value, after) = after.split_at(length.min(after.len()));
            values.push(shown(value));
            rest = after;
        }
        values
    }

    /// The columns of a `RowDescription`.
    fn columns(&self) -> Vec<Column> {
        let mut rest = self.body.get(2..).unwrap_or_default();
        let mut columns = Vec::new();
        while let Some(end) = rest.iter().position(|byte| *byte == 0) {
            let Some(fixed) = rest.get(end + 1..end + 19) else {
                break;
            };
            let number = |at: usize| u32::from_be_bytes([fixed[at], fixed[at + 1], fixed[at + 2], fixed[at + 3]]);
            columns.push(Column {
                name: until_zero(rest),
                table: number(0),
                position: u16::from_be_bytes([fixed[4], fixed[5]]),
                oid: number(6),
                modifier: number(12).cast_signed(),
                format: u16::from_be_bytes([fixed[16], fixed[17]]),
            });
            rest = &rest[end + 19..];
        }
        columns
    }

    /// A field of an error or a notice.
    pub fn field(&self, name: u8) -> Option<String> {
        self.body
            .split(|byte| *byte == 0)
            .find(|field| field.first() == Some(&name))
            .map(|field| String::from_utf8_lossy(&field[1..]).into_owned())
    }

    /// The format codes of a `RowDescription`.
    pub fn formats(&self) -> Vec<u16> {
        self.columns().into_iter().map(|column| column.format).collect()
    }
}

/// A column of a `RowDescription`.
struct Column {
    name: String,
    table: u32,
    position: u16,
    oid: u32,
    modifier: i32,
    format: u16,
}

impl Column {
    /// In a description where its table is the `table`-th, 0 for none.
    fn told(&self, table: usize) -> String {
        let place = if table == 0 {
            String::new()
        } else {
            format!("@{table}.{}", self.position)
        };
        let format = if self.format == 0 { "" } else { ":1" };
        format!("{}:{}:{}{format}{place}", self.name, self.oid, self.modifier)
    }
}

/// Text as it is but for line ends and tabs, which are drawn; anything else in hexadecimal.
fn shown(value: &[u8]) -> String {
    let text = std::str::from_utf8(value).map(|text| text.replace('\n', "⏎").replace('\t', "⇥"));
    match text {
        Ok(text) if !text.contains(char::is_control) => text,
        _ => value
            .iter()
            .fold("x".to_owned(), |hex, byte| format!("{hex}{byte:02x}")),
    }
}

fn until_zero(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// A string with its zero.
pub fn text(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.push(0);
    bytes
}

/// A message: type, length, body.
pub fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let mut message = vec![kind];
    message.extend(u32::try_from(body.len() + 4).unwrap_or(u32::MAX).to_be_bytes());
    message.extend(body);
    message
}

/// Parse without declared types.
pub fn parse(name: &str, sql: &str) -> Vec<u8> {
    message(b'P', &[text(name), text(sql), vec![0, 0]].concat())
}

/// Bind with text parameters in the given formats.
pub fn bind(portal: &str, statement: &str, params: &[&str], results: &[u16]) -> Vec<u8> {
    let mut body = [text(portal), text(statement), vec![0, 0], count(params.len())].concat();
    for param in params {
        body.extend(u32::try_from(param.len()).unwrap_or(0).to_be_bytes());
        body.extend(param.as_bytes());
    }
    body.extend(count(results.len()));
    body.extend(results.iter().flat_map(|format| format.to_be_bytes()));
    message(b'B', &body)
}

fn count(count: usize) -> Vec<u8> {
    u16::try_from(count).unwrap_or(u16::MAX).to_be_bytes().to_vec()
}

/// Describe or Close of a statement (`S`) or portal (`P`).
pub fn target(kind: u8, what: u8, name: &str) -> Vec<u8> {
    message(kind, &[vec![what], text(name)].concat())
}

/// Execute with a row limit.
pub fn execute(portal: &str, limit: u32) -> Vec<u8> {
    message(b'E', &[text(portal), limit.to_be_bytes().to_vec()].concat())
}
