//! The choice is made of the problem alone, and its answers hold.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use super::*;
use crate::method::Settings;

#[test]
fn options_are_read_and_written_alike() {
    for kind in ReleaseKind::ALL {
        for effort in SearchEffort::ALL {
            let auto = AutoMethod::default().kind(kind).effort(effort);
            let written = auto.options();
            let options: Vec<(&str, &str)> =
                written.iter().map(|(name, value)| (*name, value.as_str())).collect();
            assert_eq!(MethodChoice::new("auto", &options).unwrap(), auto.into());
        }
    }
    assert_eq!(MethodChoice::new("auto", &[]).unwrap(), MethodChoice::default());
    assert!(MethodChoice::new("auto", &[("kind", "locally")]).unwrap_err().help.is_some());
    assert!(MethodChoice::new("mondrian", &[("kind", "local")]).is_err());
    assert!(MethodChoice::new("best", &[]).unwrap_err().help.unwrap().contains("auto"));
}
