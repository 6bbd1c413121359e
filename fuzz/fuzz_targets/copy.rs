#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| pintail_fuzz::entries::copy(data));
