//! Opens the browser of the person at the machine.

use std::process::{Command, Stdio};

/// Asks the system to open an address. Whether a browser came up is not known; that nothing could be asked is.
pub(crate) fn open(address: &str) -> bool {
    #[cfg(target_os = "macos")]
    let ways: [(&str, &[&str]); 1] = [("open", &[])];
    #[cfg(target_os = "windows")]
    let ways: [(&str, &[&str]); 1] = [("rundll32", &["url.dll,FileProtocolHandler"])];
    #[cfg(not(any(target_os = "macos", target_os = "windows")))]
    let ways: [(&str, &[&str]); 3] = [("xdg-open", &[]), ("gio", &["open"]), ("wslview", &[])];
    ways.iter().any(|(program, before)| {
        let mut command = Command::new(program);
        command.args(*before).arg(address);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        match command.spawn() {
            Ok(mut child) => {
                // Reaped when it ends, whenever that is.
                std::thread::spawn(move || child.wait());
                true
            }
            Err(_) => false,
        }
    })
}
