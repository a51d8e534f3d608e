//! Writes the tables with traps into a folder, with a page that says what is expected of each.

use std::path::PathBuf;

use incrowd_testing::traps::{TRAPS, page};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os().nth(1).ok_or("say into which folder")?;
    let folder = PathBuf::from(folder);
    std::fs::create_dir_all(&folder)?;
    for trap in &TRAPS {
        std::fs::write(folder.join(trap.file), trap.bytes())?;
    }
    std::fs::write(folder.join("README.md"), page())?;
    Ok(())
}
