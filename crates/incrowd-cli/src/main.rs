//! The command `incrowd`.

use std::process::ExitCode;

/// musl's own allocator is slow where several threads work.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(incrowd_cli::run(std::env::args_os().collect()))
}
