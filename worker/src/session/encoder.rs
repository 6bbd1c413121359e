//! The second thread of a session: renders the chunks of large results while the first one fetches the next.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use super::outlet::Outlet;
use super::render::Renderer;
use crate::engine::capi::Chunk;
use crate::error::Error;

/// Chunks that wait for the encoder before the fetching thread waits.
const CHUNKS: usize = 8;
/// Rows of a frame that is not full wait no longer than this for the next ones.
const LINGER: Duration = Duration::from_millis(5);

/// The way to the encoder.
pub(crate) struct Encoder(SyncSender<Piece>);

enum Piece {
    Begin(Box<Renderer>, Arc<Outlet>),
    Chunk(Chunk),
    /// The engine's time in microseconds, or why the rows end early.
    End(Result<u64, Error>),
}

impl Encoder {
    /// Starts the thread; it ends when this value is dropped and its work done.
    pub(crate) fn start() -> Result<Self, Error> {
        let (sender, pieces) = sync_channel(CHUNKS);
        let started = thread::Builder::new()
            .name("encoder".to_owned())
            .spawn(move || work(&pieces));
        started.map_err(|source| Error::Io {
            what: "cannot start a thread".to_owned(),
            source,
        })?;
        Ok(Self(sender))
    }

    /// What follows belongs to this result.
    pub(crate) fn begin(&self, renderer: Box<Renderer>, outlet: Arc<Outlet>) {
        self.send(Piece::Begin(renderer, outlet));
    }

    /// The next rows.
    pub(crate) fn chunk(&self, chunk: Chunk) {
        self.send(Piece::Chunk(chunk));
    }

    /// The result's end.
    pub(crate) fn end(&self, outcome: Result<u64, Error>) {
        self.send(Piece::End(outcome));
    }

    fn send(&self, piece: Piece) {
        // The thread lives as long as this sender does.
        let _ = self.0.send(piece);
    }
}

fn work(pieces: &Receiver<Piece>) {
    while let Ok(piece) = pieces.recv() {
        if let Piece::Begin(mut renderer, outlet) = piece {
            let outcome = render(pieces, &mut renderer, &outlet);
            outlet.finish(outcome);
        }
    }
}

/// Renders up to the result's end. An unwanted result is read to its end all the same, so that nothing of it is left over.
fn render(pieces: &Receiver<Piece>, renderer: &mut Renderer, outlet: &Outlet) -> Result<(), Error> {
    let mut failed = None;
    loop {
        match pieces.recv_timeout(LINGER) {
            Ok(Piece::Chunk(_)) if failed.is_some() || outlet.is_unwanted() => {}
            Ok(Piece::Chunk(chunk)) => {
                if let Err(error) = renderer.add(&chunk) {
                    outlet.finish(Err(error));
                    failed = Some(());
                    continue;
                }
                drop(chunk);
                push(renderer, outlet);
            }
            Ok(Piece::End(Ok(engine_us))) => {
                renderer.finish(engine_us)?;
                push(renderer, outlet);
                return Ok(());
            }
            Ok(Piece::End(Err(error))) => {
                renderer.flush();
                push(renderer, outlet);
                return Err(error);
            }
            Ok(Piece::Begin(..)) => return Err(Error::Internal("a result began inside another".to_owned())),
            Err(RecvTimeoutError::Timeout) => {
                renderer.flush();
                push(renderer, outlet);
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Error::Internal("the session's thread is gone".to_owned()));
            }
        }
    }
}

fn push(renderer: &mut Renderer, outlet: &Outlet) {
    for message in renderer.take() {
        if outlet.push(message).is_err() {
            return;
        }
    }
}
