//! What is still to be written to the client, in order.

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};

/// Blocks below this size are copied next to their neighbours, so that small answers leave in one write.
const COPY_BELOW: usize = 16 << 10;

/// A queue of bytes. Large blocks from a worker pass through without a copy.
#[derive(Debug, Default)]
pub struct Out {
    blocks: VecDeque<Bytes>,
    tail: BytesMut,
    queued: usize,
    /// The client may act on what waits, before it sends more.
    promised: bool,
}

impl Out {
    /// Where small messages are appended.
    pub fn buffer(&mut self) -> &mut BytesMut {
        &mut self.tail
    }

    /// Appends a block of whole messages.
    pub fn push(&mut self, block: Bytes) {
        if block.len() < COPY_BELOW {
            self.tail.extend_from_slice(&block);
            return;
        }
        self.seal();
        self.queued += block.len();
        self.blocks.push_back(block);
    }

    /// Bytes waiting.
    pub fn len(&self) -> usize {
        self.queued + self.tail.len()
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What waits is to leave before anything takes time: a batch has ended, or the client asked for it by Flush.
    pub fn promise(&mut self) {
        self.promised = true;
    }

    /// Whether something waits that must leave first.
    pub fn is_promised(&self) -> bool {
        self.promised && !self.is_empty()
    }

    /// The next block to write.
    pub fn take(&mut self) -> Option<Bytes> {
        if self.blocks.is_empty() {
            self.seal();
        }
        let Some(block) = self.blocks.pop_front() else {
            self.promised = false;
            return None;
        };
        self.queued -= block.len();
        Some(block)
    }

    fn seal(&mut self) {
        if !self.tail.is_empty() {
            // What is left of a large buffer would keep all of it.
            let block = if self.tail.capacity() > COPY_BELOW {
                std::mem::take(&mut self.tail)
            } else {
                self.tail.split()
            };
            let block = block.freeze();
            self.queued += block.len();
            self.blocks.push_back(block);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_kept_between_small_and_large() {
        let mut out = Out::default();
        out.buffer().extend_from_slice(b"a");
        out.push(Bytes::from(vec![b'x'; COPY_BELOW]));
        out.push(Bytes::from_static(b"b"));
        assert_eq!(out.len(), COPY_BELOW + 2);
        assert_eq!(out.take().as_deref(), Some(&b"a"[..]));
        assert_eq!(out.take().map(|block| block.len()), Some(COPY_BELOW));
        assert_eq!(out.take().as_deref(), Some(&b"b"[..]));
        assert_eq!(out.take(), None);
    }

    #[test]
    fn a_large_buffer_is_not_kept() {
        let mut out = Out::default();
        out.buffer().reserve(1 << 20);
        out.buffer().extend_from_slice(b"a");
        assert_eq!(out.take().as_deref(), Some(&b"a"[..]));
        assert_eq!(out.buffer().capacity(), 0);
    }
}
