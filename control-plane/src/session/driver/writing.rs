//! Bytes to the client.

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};

use super::{Driver, End, at};

impl<S: AsyncRead + AsyncWrite + Send> Driver<S> {
    /// Writes all that waits. A client that does not read holds up neither the server's end nor its session's.
    pub(super) async fn flush(&mut self) -> Result<(), End> {
        while let Some(mut block) = self.machine.out().take() {
            let size = block.len() as u64;
            while !block.is_empty() {
                tokio::select! {
                    biased;
                    write = self.writer.write_buf(&mut block) => written(&write)?,
                    () = self.services.ending.cancelled() => return Err(self.cut(&block)),
                    () = self.presence.ended().cancelled() => return Err(self.cut(&block)),
                }
            }
            self.services.metrics.bytes_sent.inc_by(size);
        }
        self.writer.flush().await.map_err(|_| End::Client)
    }

    /// Writes in the middle of a result: a cancel request is passed on even while the client does not read.
    pub(super) async fn flush_while_running(&mut self, sequence: u64) -> Result<(), End> {
        let transaction_end = self.clock.transaction_end(self.machine.time_limits());
        while let Some(mut block) = self.machine.out().take() {
            let size = block.len() as u64;
            while !block.is_empty() {
                tokio::select! {
                    biased;
                    write = self.writer.write_buf(&mut block) => written(&write)?,
                    () = self.cancellation.requested() => self.send_cancel(sequence),
                    () = at(transaction_end) => return Err(self.cut(&block)),
                    () = self.services.ending.cancelled() => return Err(self.cut(&block)),
                    () = self.presence.ended().cancelled() => return Err(self.cut(&block)),
                }
            }
            self.services.metrics.bytes_sent.inc_by(size);
        }
        Ok(())
    }

    /// The session ends with a block half written: whatever came behind it would be taken for the rest of a message.
    fn cut(&mut self, rest: &Bytes) -> End {
        tracing::debug!(bytes = rest.remaining(), "a client that does not read is left");
        while self.machine.out().take().is_some() {}
        End::Done
    }
}

fn written(write: &std::io::Result<usize>) -> Result<(), End> {
    match write {
        Ok(0) | Err(_) => Err(End::Client),
        Ok(_) => Ok(()),
    }
}
