//! Help for names that are not known: the nearest one that is.

/// The known name that was probably meant, if one is near enough to be worth suggesting.
///
/// Case and the choice between `-`, `_` and space do not count. Among equally near names the
/// first one wins, so the answer depends only on the order of `known`.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| text.trim().to_lowercase().replace(['_', ' '], "-");
    let name = plain(name);
    // A third of the letters may be wrong; beyond that a suggestion is a guess.
    let allowed = (name.chars().count() / 3).max(1);
    let mut by_typing: Option<(usize, &str)> = None;
    let mut by_beginning: Option<(f64, &str)> = None;
    for candidate in known {
        let other = plain(candidate);
        let distance = strsim::osa_distance(&name, &other);
        // Changing every letter of a short name turns it into anything.
        let near = distance <= allowed && distance < other.chars().count().max(1);
        if near && by_typing.is_none_or(|(best, _)| distance < best) {
            by_typing = Some((distance, candidate));
        }
        let likeness = strsim::jaro_winkler(&name, &other);
        if likeness >= 0.85 && by_beginning.is_none_or(|(best, _)| likeness > best) {
            by_beginning = Some((likeness, candidate));
        }
    }
    by_typing.map(|(_, name)| name).or(by_beginning.map(|(_, name)| name))
}

/// Help for an unknown name: the nearest known one, or all of them if none is near.
pub fn suggest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    const SHOWN: usize = 12;
    let known: Vec<&str> = known.into_iter().collect();
    if let Some(near) = nearest(name, known.iter().copied()) {
        return format!("did you mean `{near}`?");
    }
    match known.len() {
        0 => "there are none here".to_owned(),
        n if n <= SHOWN => format!("known: {}", known.join(", ")),
        n => format!("known: {}, and {} more", known[..SHOWN].join(", "), n - SHOWN),
    }
}
