//! How the module is linked.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm") {
        // Deep searches need more than the megabyte that a module has by itself.
        println!("cargo:rustc-cdylib-link-arg=-zstack-size=8388608");
    }
}
