//! The key that pseudonyms and shifted dates are made with, and that rows are shuffled by.

use std::fmt;
use std::io::Write;
use std::path::Path;

use incrowd_engine::ShuffleKey;
use rand::TryRng;

use crate::{Error, Result};

/// A secret of 256 bits. It is never written anywhere but into its own file, and shows nothing of itself.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretKey([u8; 32]);

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

impl SecretKey {
    /// A new one.
    pub fn fresh() -> Result<Self> {
        let mut bytes = [0; 32];
        rand::rngs::SysRng
            .try_fill_bytes(&mut bytes)
            .map_err(|e| Error::new(format!("the system gives no random numbers: {e}")))?;
        Ok(SecretKey(bytes))
    }

    /// The key in a file, which is made if it is not there, for its owner's eyes only. The second is whether it was made.
    pub fn open(path: &Path) -> Result<(Self, bool)> {
        match std::fs::read_to_string(path) {
            Ok(text) => {
                private(path)?;
                Ok((Self::parse(&text, path)?, false))
            }
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                let key = Self::fresh()?;
                match key.write(path) {
                    // Another run has made it meanwhile.
                    Err(_) if path.exists() => Ok((Self::open(path)?.0, false)),
                    made => made.map(|()| (key, true)),
                }
            }
            Err(e) => Err(Error::file("read", path, &e)),
        }
    }

    fn parse(text: &str, path: &Path) -> Result<Self> {
        let digits: Vec<u32> = text.trim().chars().filter_map(|c| c.to_digit(16)).collect();
        if digits.len() != 64 || text.trim().chars().count() != 64 {
            return Err(Error::new("the file does not hold a key").at(path, None, None).help(
                "a key is 64 hexadecimal digits; name a file that is not there, and one is made",
            ));
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = (pair[0] * 16 + pair[1]) as u8;
        }
        Ok(SecretKey(bytes))
    }

    /// The key as its file holds it. Whoever sees it has the key.
    pub fn to_text(&self) -> String {
        let digits: String = self.0.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{digits}\n")
    }

    fn write(&self, path: &Path) -> Result<()> {
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let write = |mut file: std::fs::File| file.write_all(self.to_text().as_bytes());
        options.open(path).and_then(write).map_err(|e| Error::file("write", path, &e))
    }

    /// A key for one purpose: whoever has it knows nothing of the others.
    pub fn of(&self, purpose: &str) -> SecretKey {
        SecretKey(*blake3::keyed_hash(&self.0, purpose.as_bytes()).as_bytes())
    }

    /// What rows are shuffled by.
    pub fn of_order(&self) -> ShuffleKey {
        ShuffleKey::new(self.of("row order").0)
    }

    /// What coarser labels are drawn by.
    pub fn of_labels(&self) -> ShuffleKey {
        ShuffleKey::new(self.of("label draw").0)
    }

    /// What makes something of many bytes with the key.
    pub fn hasher(&self) -> blake3::Hasher {
        blake3::Hasher::new_keyed(&self.0)
    }

    /// What the key makes of a text.
    pub fn hash(&self, text: &str) -> [u8; 32] {
        *blake3::keyed_hash(&self.0, text.as_bytes()).as_bytes()
    }
}

/// Refuses a key that others may read.
#[cfg(unix)]
fn private(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(path).map_err(|e| Error::file("read", path, &e))?.permissions();
    if mode.mode() & 0o077 == 0 {
        return Ok(());
    }
    Err(Error::new("others may read the key")
        .at(path, None, None)
        .help(format!("chmod 600 {}", path.display())))
}

#[cfg(not(unix))]
fn private(_: &Path) -> Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;

    #[test]
    fn a_key_is_made_once_and_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.key");
        let (made, new) = SecretKey::open(&path).unwrap();
        assert!(new);
        let (again, new) = SecretKey::open(&path).unwrap();
        assert!(!new && again == made);
        assert_eq!(format!("{made:?}"), "Key(..)");
        assert_ne!(made.of("a").hash("x"), made.of("b").hash("x"));
        assert_eq!(made.of("a").hash("x"), again.of("a").hash("x"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
            assert!(SecretKey::open(&path).unwrap_err().help.unwrap().contains("chmod 600"));
        }
        let other = folder.path().join("b.key");
        std::fs::write(&other, "secret").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&other, std::fs::Permissions::from_mode(0o600)).unwrap();
        }
        assert!(SecretKey::open(&other).unwrap_err().message.contains("does not hold a key"));
    }
}
