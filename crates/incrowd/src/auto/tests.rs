//! The choice is made of the problem alone, and its answers hold.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use super::*;
use crate::method::Settings;

#[test]
fn options_are_read_and_written_alike() {
    for kind in Kind::ALL {
        for effort in Effort::ALL {
            let auto = Auto::default().kind(kind).effort(effort);
            let written = auto.options();
            let options: Vec<(&str, &str)> =
                written.iter().map(|(name, value)| (*name, value.as_str())).collect();
            assert_eq!(Approach::new("auto", &options).unwrap(), auto.into());
        }
    }
    assert_eq!(Approach::new("auto", &[]).unwrap(), Approach::default());
    assert!(Approach::new("auto", &[("kind", "locally")]).unwrap_err().help.is_some());
    assert!(Approach::new("mondrian", &[("kind", "local")]).is_err());
    assert!(Approach::new("best", &[]).unwrap_err().help.unwrap().contains("auto"));
}
