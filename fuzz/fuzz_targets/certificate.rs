#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| incrowd_fuzz::certificate(input));
