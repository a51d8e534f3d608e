//! Addresses, which carry their groups in themselves.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The networks of an internet address.
pub(super) fn ip(text: &str) -> Option<Vec<String>> {
    let networks = match text.trim().parse().ok()? {
        IpAddr::V4(address) => four(address),
        IpAddr::V6(address) => match address.to_ipv4_mapped() {
            Some(address) => four(address),
            None => [64, 48, 32].map(|kept| {
                let bits = address.to_bits() & (u128::MAX << (128 - kept));
                format!("{}/{kept}", Ipv6Addr::from_bits(bits))
            }),
        },
    };
    Some(networks.to_vec())
}

fn four(address: Ipv4Addr) -> [String; 3] {
    [24, 16, 8].map(|kept| {
        let bits = address.to_bits() & (u32::MAX << (32 - kept));
        format!("{}/{kept}", Ipv4Addr::from_bits(bits))
    })
}

/// The domain of an e-mail address and what that ends with.
pub(super) fn email(text: &str) -> Option<Vec<String>> {
    let text = text.trim();
    // A name may hold an @ in quotes; a domain never.
    let (name, domain) = text.rsplit_once('@')?;
    let domain = domain.trim_end_matches('.').to_lowercase();
    let (rest, top) = domain.rsplit_once('.')?;
    let plain = |part: &str| !part.is_empty() && !part.contains(char::is_whitespace);
    let sound = !name.is_empty() && plain(rest) && plain(top);
    sound.then(|| vec![format!("@{domain}"), format!("@*.{top}")])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_by_the_bits_they_keep() {
        let of = |text| ip(text).map(|networks| networks.join(" "));
        assert_eq!(
            of("192.168.17.3").as_deref(),
            Some("192.168.17.0/24 192.168.0.0/16 192.0.0.0/8")
        );
        assert_eq!(of("::ffff:192.168.17.3"), of("192.168.17.3"));
        assert_eq!(
            of("2001:db8:1:2:3:4:5:6").as_deref(),
            Some("2001:db8:1:2::/64 2001:db8:1::/48 2001:db8::/32")
        );
        for bad in ["", "192.168.17", "192.168.17.300", "localhost", "10.0.0.0/8"] {
            assert_eq!(ip(bad), None, "{bad}");
        }
    }

    #[test]
    fn domains_and_what_they_end_with() {
        let of = |text| email(text).map(|domains| domains.join(" "));
        assert_eq!(of("Ann.B@Mail.Example.ORG").as_deref(), Some("@mail.example.org @*.org"));
        for bad in ["", "ann", "ann@", "@b.org", "ann@localhost", "ann@.org", "a@b c.org"] {
            assert_eq!(of(bad), None, "{bad}");
        }
    }
}
