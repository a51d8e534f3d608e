//! Makes a test of every Rust snippet in README.md and docs/guides/rust.md.

use std::fmt::Write as _;
use std::path::Path;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut tests = String::new();
    for (name, file) in [("readme", "README.md"), ("library", "docs/guides/rust.md")] {
        println!("cargo::rerun-if-changed=../{file}");
        let text = std::fs::read_to_string(root.join(file)).unwrap_or_default();
        for (at, part) in text.split("```rust\n").skip(1).enumerate() {
            let snippet = part.split("```").next().unwrap_or_default();
            let _ = writeln!(
                tests,
                "#[test]\nfn {name}_{at}() -> Result<(), Box<dyn std::error::Error>> {{\n\
                 std::env::set_current_dir(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/..\"))?;\n\
                 {snippet}\nOk(())\n}}"
            );
        }
    }
    let out = std::env::var_os("OUT_DIR").unwrap_or_default();
    std::fs::write(Path::new(&out).join("snippets.rs"), tests)
        .expect("the snippets can be written");
}
