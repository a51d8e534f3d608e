//! Opens the browser of the person at the machine.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::paths::private_folder;

/// A page on disk that leads a browser on to an address. The arguments of every program can be seen by all users of a
/// machine, so a browser is given the name of this file, which nobody else can read, and not the address with its
/// code. It is gone when dropped.
#[derive(Debug)]
pub(crate) struct LaunchPage {
    path: PathBuf,
    _folder: tempfile::TempDir,
}

impl LaunchPage {
    /// Writes the page. Browsers in a sandbox have a temporary folder of their own and see no hidden files, so it lies in
    /// the home folder if it can.
    pub(crate) fn write(address: &str) -> std::io::Result<Self> {
        let at_home = std::env::home_dir().filter(|home| home.is_dir());
        let at_home = at_home.and_then(|home| Self::write_in(&home, address).ok());
        at_home.map_or_else(|| Self::write_in(&std::env::temp_dir(), address), Ok)
    }

    fn write_in(place: &Path, address: &str) -> std::io::Result<Self> {
        let folder = private_folder(place, "incrowd-open-")?;
        let path = folder.path().join("incrowd.html");
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        // The address is of our own making and holds nothing that a page would take for its own.
        let page = format!(
            "<!doctype html>\n<meta charset=\"utf-8\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
             <meta http-equiv=\"refresh\" content=\"0; url={address}\">\n<title>incrowd</title>\n\
             <p><a href=\"{address}\">Open incrowd</a></p>\n"
        );
        options.open(&path)?.write_all(page.as_bytes())?;
        Ok(LaunchPage { path, _folder: folder })
    }

    /// Asks the system to show the page. Whether a browser came up is not known; that nothing could be asked is.
    pub(crate) fn open(&self) -> bool {
        #[cfg(target_os = "macos")]
        let ways: [(&str, &[&str]); 1] = [("open", &[])];
        #[cfg(target_os = "windows")]
        let ways: [(&str, &[&str]); 1] = [("rundll32", &["url.dll,FileProtocolHandler"])];
        #[cfg(not(any(target_os = "macos", target_os = "windows")))]
        let ways: [(&str, &[&str]); 3] = [("xdg-open", &[]), ("gio", &["open"]), ("wslview", &[])];
        ways.iter().any(|(program, before)| {
            let mut command = Command::new(program);
            command.args(*before).arg(&self.path);
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
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;

    #[test]
    fn a_launch_page_is_for_its_owner_alone_and_goes_away() {
        let place = tempfile::tempdir().unwrap();
        let page = LaunchPage::write_in(place.path(), "http://127.0.0.1:1/#once=abc").unwrap();
        let path = page.path.clone();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("content=\"0; url=http://127.0.0.1:1/#once=abc\""), "{text}");
        assert!(!path.to_string_lossy().contains("abc"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        }
        drop(page);
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
    }
}
