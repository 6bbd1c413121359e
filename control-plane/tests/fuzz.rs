//! The fuzzer's corpus, and mutations of its inputs, the same in each run: what a longer run under libFuzzer found stays found.

use std::path::Path;

use pintail::wire;

#[path = "../../fuzz/src/entries.rs"]
#[allow(unreachable_pub, reason = "the fuzzer's targets, which are other crates, call them")]
mod entries;

/// Mutations a target, shared out among its inputs.
const MUTATIONS: usize = 100_000;

/// A generator of numbers that are the same in each run (xorshift, Marsaglia 2003).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or(0) % limit.max(1)
    }
}

/// Lengths that decoders like least.
const LENGTHS: [u32; 8] = [0, 3, 4, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 10_001, 0x4000_0000];

fn mutate(input: &[u8], others: &[Vec<u8>], numbers: &mut Numbers) -> Vec<u8> {
    let mut data = input.to_vec();
    for _ in 0..=numbers.below(4) {
        let at = numbers.below(data.len() + 1);
        match numbers.below(6) {
            0 => data.truncate(at),
            1 => data.insert(at, u8::try_from(numbers.below(256)).unwrap_or(0)),
            2 => {
                if let Some(byte) = data.get_mut(at) {
                    *byte ^= 1 << numbers.below(8);
                }
            }
            3 => {
                let length = LENGTHS[numbers.below(LENGTHS.len())].to_be_bytes();
                let end = data.len().min(at + 4);
                data.splice(at..end, length);
            }
            4 => {
                let other = &others[numbers.below(others.len())];
                data.truncate(at);
                data.extend(&other[numbers.below(other.len() + 1)..]);
            }
            _ => data.rotate_left(at),
        }
    }
    data
}

fn run(target: &str, entry: fn(&[u8])) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../fuzz/corpus")
        .join(target);
    let mut files: Vec<_> = std::fs::read_dir(&directory)
        .expect("the corpus")
        .map(|file| file.expect("a file").path())
        .collect();
    files.sort();
    let inputs: Vec<Vec<u8>> = files
        .iter()
        .map(|file| std::fs::read(file).expect("an input"))
        .collect();
    assert!(!inputs.is_empty(), "{} is empty", directory.display());
    let mut numbers = Numbers(0x0005_deec_e66d);
    for input in &inputs {
        entry(input);
        for _ in 0..MUTATIONS / inputs.len() {
            entry(&mutate(input, &inputs, &mut numbers));
        }
    }
}

macro_rules! targets {
    ($($name:ident)+) => {
        $(
            #[test]
            fn $name() {
                run(stringify!($name), entries::$name);
            }
        )+
    };
}

targets! { startup messages scram bind copy }
