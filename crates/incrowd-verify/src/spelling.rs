//! How other tools write generalized values.
//!
//! Every tool has a spelling of its own: `[20, 30[`, `(19,30]`, `20-30`, `20~30`, `>=90`, `537**`, `a|b`. A text alone
//! does not say what it means: `a-b` may be a value, a range or a set. So a text is first taken apart in every way it
//! could have been put together, [`LabelSpelling::of`], the likelier first; which of them makes sense is decided by the
//! values of the column.

/// One way in which a text can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LabelSpelling {
    /// Nothing is told: `***`.
    Everything,
    /// From one end to another.
    Range(RangeEnd, RangeEnd),
    /// Two numbers, of which it is not clear whether they are a set or the ends of a range: `20,30`.
    Pair(String, String),
    /// One of these values.
    Set {
        /// The values; one that holds the separator itself is in several pieces.
        elements: Vec<String>,
        /// What stood between them.
        separator: &'static str,
    },
    /// A value whose characters are known in part.
    Mask(Vec<MaskPiece>),
}

/// One end of a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RangeEnd {
    /// What stands there; nothing where there is no end.
    pub at: Option<String>,
    /// Whether it belongs to the range.
    pub included: bool,
}

/// A part of a masked value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MaskPiece {
    /// These characters.
    Known(String),
    /// So many characters of any kind.
    Hidden(usize),
    /// Any characters, or none.
    Anything,
}

/// What can be read, for those whose labels cannot be.
pub(crate) const READABLE: &str = "original values, `*`, ranges (`20-30`, `[20, 30)`, `(19,30]`, `<30`, `90+`), masks \
    (`537**`), sets (`{a, b}`, `a|b`), labels of a given hierarchy";

/// No text of other tools is longer; what is, is not taken apart.
const LONGEST: usize = 4096;
/// Elements of a set beyond which a text is taken for prose.
const MOST: usize = 512;

/// What may stand between two ends, the likelier first.
const BETWEEN: [&str; 22] = [
    " to ",
    " - ",
    "..",
    "...",
    "…",
    " through ",
    " thru ",
    " until ",
    " bis ",
    " and ",
    "->",
    "→",
    "~",
    "～",
    "–",
    "—",
    "−",
    "‐",
    "-",
    ":",
    "_",
    "/",
];
/// The same between brackets, where a comma is no set.
const WITHIN: [&str; 3] = [",", ";", "|"];
/// What may stand between the elements of a set.
const AMONG: [&str; 13] = [",", "|", ";", " or ", "/", "~", "+", "&", " and ", "∪", "∨", "_", "-"];
/// Words before an end that is not included, or included.
const ABOVE: [(&str, bool); 13] = [
    (">=", true),
    ("=>", true),
    ("≥", true),
    ("⩾", true),
    (">", false),
    ("at least ", true),
    ("from ", true),
    ("minimum ", true),
    ("over ", false),
    ("above ", false),
    ("more than ", false),
    ("greater than ", false),
    ("older than ", false),
];
const UNDER: [(&str, bool); 13] = [
    ("<=", true),
    ("=<", true),
    ("≤", true),
    ("⩽", true),
    ("<", false),
    ("at most ", true),
    ("up to ", true),
    ("maximum ", true),
    ("under ", false),
    ("below ", false),
    ("less than ", false),
    ("fewer than ", false),
    ("younger than ", false),
];
/// Words behind an end that is included.
const AND_MORE: [&str; 9] = [
    "+",
    " and over",
    " and above",
    " and older",
    " and more",
    " or more",
    " or over",
    " or older",
    " plus",
];
const AND_LESS: [&str; 6] =
    [" and under", " and below", " and younger", " and less", " or less", " or younger"];

impl LabelSpelling {
    /// All ways in which a text can be read other than as a value, the likelier first.
    pub fn of(text: &str) -> Vec<LabelSpelling> {
        let text = text.trim();
        let mut found = Vec::new();
        if text.is_empty() || text.len() > LONGEST {
            return found;
        }
        if text.chars().all(is_star) {
            return vec![LabelSpelling::Everything];
        }
        python(text, &mut found);
        bracketed(text, &mut found);
        compared(text, &mut found);
        bare_range(text, &mut found);
        sets(text, &mut found);
        found.extend(mask(text));
        found
    }
}

impl RangeEnd {
    fn new(text: &str, included: bool) -> Self {
        let at = unquoted(text.trim());
        let bare = at.trim_start_matches(['+', '-', '−']).to_ascii_lowercase();
        let endless =
            at.is_empty() || ["inf", "infinity", "∞", "infty", "*"].contains(&bare.as_str());
        RangeEnd { at: (!endless).then(|| at.to_owned()), included: included && !endless }
    }

    fn none() -> Self {
        RangeEnd { at: None, included: false }
    }
}

fn is_star(character: char) -> bool {
    matches!(character, '*' | '∗' | '＊')
}

/// A text without the quotes around it.
pub(crate) fn unquoted(text: &str) -> &str {
    for (open, close) in [('\'', '\''), ('"', '"'), ('`', '`'), ('‘', '’'), ('“', '”'), ('«', '»')]
    {
        if let Some(inner) = text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close)) {
            return inner;
        }
    }
    text
}

/// Two ends with something between them. Two empty ends are no range.
fn range(low: RangeEnd, high: RangeEnd) -> Option<LabelSpelling> {
    (low.at.is_some() || high.at.is_some()).then_some(LabelSpelling::Range(low, high))
}

/// `Interval(20, 30, closed='left')`, `frozenset({'a', 'b'})`, `c("a", "b")`.
fn python(text: &str, found: &mut Vec<LabelSpelling>) {
    let Some(inner) = text.strip_suffix(')') else { return };
    if let Some(inner) = inner.strip_prefix("Interval(") {
        let mut parts = inner.split(',').map(str::trim);
        if let (Some(low), Some(high)) = (parts.next(), parts.next()) {
            let closed = parts.next().and_then(|part| part.strip_prefix("closed=")).map(unquoted);
            let (left, right) = match closed {
                None | Some("right") => (false, true),
                Some("left") => (true, false),
                Some("both") => (true, true),
                Some("neither") => (false, false),
                Some(_) => return,
            };
            found.extend(range(RangeEnd::new(low, left), RangeEnd::new(high, right)));
        }
        return;
    }
    for name in ["frozenset(", "set(", "c(", "list(", "tuple("] {
        if let Some(inner) = inner.strip_prefix(name) {
            let inner = inner.trim();
            let inner =
                within(inner, '{', '}').or_else(|| within(inner, '[', ']')).unwrap_or(inner);
            found.extend(set(inner, ","));
        }
    }
}

fn within(text: &str, open: char, close: char) -> Option<&str> {
    text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close))
}

/// `[20, 30)`, `]19;30]`, `(a, b)`, `{'a', 'b'}`.
fn bracketed(text: &str, found: &mut Vec<LabelSpelling>) {
    let mut characters = text.chars();
    let (Some(open), Some(close)) = (characters.next(), characters.next_back()) else { return };
    let inner = characters.as_str();
    let left = match open {
        '[' => Some(true),
        '(' | ']' | '<' | '⟨' => Some(false),
        '{' => None,
        _ => return,
    };
    let right = match close {
        ']' => Some(true),
        ')' | '[' | '>' | '⟩' => Some(false),
        '}' => None,
        _ => return,
    };
    if left.is_some() != right.is_some() {
        return;
    }
    if let Some((left, right)) = left.zip(right) {
        for between in WITHIN.iter().chain(&BETWEEN) {
            for (low, high) in splits(inner, between) {
                found.extend(range(RangeEnd::new(low, left), RangeEnd::new(high, right)));
            }
        }
    }
    // Of one value, too: `[20]`.
    for among in [",", ";", "|"] {
        found.extend(set(inner, among));
    }
}

/// `<=30`, `90+`, `20 <= x < 30`, `at least 90`.
fn compared(text: &str, found: &mut Vec<LabelSpelling>) {
    let words = text.to_ascii_lowercase();
    let behind = |at: usize| text.get(at..).unwrap_or_default();
    let before = |end: &str| text.get(..text.len() - end.len()).unwrap_or_default();
    for (sign, included) in ABOVE {
        if words.starts_with(sign) {
            found.extend(range(RangeEnd::new(behind(sign.len()), included), RangeEnd::none()));
            break;
        }
    }
    for (sign, included) in UNDER {
        if words.starts_with(sign) {
            found.extend(range(RangeEnd::none(), RangeEnd::new(behind(sign.len()), included)));
            break;
        }
    }
    for end in AND_MORE.iter().filter(|end| words.ends_with(**end)) {
        found.extend(range(RangeEnd::new(before(end), true), RangeEnd::none()));
    }
    // `90+ years`
    if let Some((low, unit)) = text.split_once('+')
        && unit.starts_with(' ')
        && unit.trim().chars().all(char::is_alphabetic)
    {
        found.extend(range(RangeEnd::new(low, true), RangeEnd::none()));
    }
    for end in AND_LESS.iter().filter(|end| words.ends_with(**end)) {
        found.extend(range(RangeEnd::none(), RangeEnd::new(before(end), true)));
    }
    // Both at once, with a name between them: `20 <= age < 30`.
    for (first, one) in UNDER.into_iter().take(5) {
        let Some((low, rest)) = text.split_once(first) else { continue };
        if low.contains(['<', '≤', '⩽']) {
            continue;
        }
        for (second, other) in UNDER.into_iter().take(5) {
            let Some((name, high)) = rest.split_once(second) else { continue };
            if !name.trim().is_empty() && !name.contains(|c: char| c.is_ascii_digit() || c == '<') {
                found.extend(range(RangeEnd::new(low, one), RangeEnd::new(high, other)));
                return;
            }
        }
    }
    // `x >= 20`, `age < 30`: the name does not matter.
    for (signs, is_low) in [(ABOVE, true), (UNDER, false)] {
        for (sign, included) in signs.into_iter().take(5) {
            let Some((name, end)) = text.split_once(sign) else { continue };
            if !name.trim().is_empty()
                && name.chars().all(|c| c.is_alphabetic() || " _.".contains(c))
            {
                let end = RangeEnd::new(end, included);
                found.extend(if is_low {
                    range(end, RangeEnd::none())
                } else {
                    range(RangeEnd::none(), end)
                });
            }
            break;
        }
    }
}

/// `20-30`, `20 to 30`, `from 20 to 30`, `20s`.
fn bare_range(text: &str, found: &mut Vec<LabelSpelling>) {
    let words = text.to_ascii_lowercase();
    let first = ["from ", "between "].into_iter().find(|word| words.starts_with(word));
    let text = first.and_then(|word| text.get(word.len()..)).unwrap_or(text);
    for between in BETWEEN {
        for (low, high) in splits(text, between) {
            if !low.trim().is_empty() && !high.trim().is_empty() {
                found.extend(range(RangeEnd::new(low, true), RangeEnd::new(high, true)));
            }
        }
    }
    for (low, high) in splits(text, ",") {
        found.push(LabelSpelling::Pair(low.trim().to_owned(), high.trim().to_owned()));
    }
    // A decade: `20s`, `1990s`.
    if let Some(digits) = text.strip_suffix('s').filter(|digits| digits.ends_with('0'))
        && digits.len() <= 4
        && let Ok(start) = digits.parse::<u32>()
    {
        let low = RangeEnd::new(digits, true);
        found.extend(range(low, RangeEnd::new(&(start + 10).to_string(), false)));
    }
}

/// All ways to part a text at a separator into two, neither of which is empty; few if there are many.
fn splits<'a>(text: &'a str, separator: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let words = text.to_ascii_lowercase();
    let places: Vec<usize> = words.match_indices(separator).take(8).map(|(at, _)| at).collect();
    places.into_iter().filter_map(move |at| {
        let (low, high) = (text.get(..at)?, text.get(at + separator.len()..)?);
        // Longer separators than this one have their own turn.
        let whole = !(separator == ".." && (low.ends_with('.') || high.starts_with('.')));
        (whole && !(low.is_empty() && high.is_empty())).then_some((low, high))
    })
}

/// Sets without brackets.
fn sets(text: &str, found: &mut Vec<LabelSpelling>) {
    for among in AMONG {
        let several = |set: &LabelSpelling| matches!(set, LabelSpelling::Set { elements, .. } if elements.len() > 1);
        found.extend(set(text, among).filter(several));
    }
}

fn set(text: &str, separator: &'static str) -> Option<LabelSpelling> {
    elements(text, separator).map(|elements| LabelSpelling::Set { elements, separator })
}

/// The elements between separators; quotes hold together what they stand around. None if one is empty.
fn elements(text: &str, separator: &str) -> Option<Vec<String>> {
    let mut found = Vec::new();
    let mut rest = text.trim();
    loop {
        let quote = rest.chars().next().filter(|first| "'\"`".contains(*first));
        let closed = quote.and_then(|quote| {
            let inner = &rest[1..];
            let end = inner.find(quote)?;
            let behind = inner[end + 1..].trim_start();
            let fits = behind.is_empty() || behind.starts_with(separator.trim());
            fits.then(|| (&inner[..end], behind))
        });
        let (element, behind) = match closed {
            Some(found) => found,
            None => {
                let end = rest.find(separator).unwrap_or(rest.len());
                (rest[..end].trim(), &rest[end..])
            }
        };
        if (element.is_empty() && closed.is_none()) || found.len() == MOST {
            return None;
        }
        found.push(element.to_owned());
        if behind.is_empty() {
            return Some(found);
        }
        let behind =
            behind.strip_prefix(separator).or_else(|| behind.strip_prefix(separator.trim()))?;
        rest = behind.trim_start();
        // Python writes a tuple of one as `('a',)`.
        if rest.is_empty() {
            return (separator == ",").then_some(found);
        }
    }
}

/// `537**`, `537xx`, `**711`, `5##11`: some characters are hidden.
fn mask(text: &str) -> Option<LabelSpelling> {
    let hides = |hole: char| {
        let character = |c: char| if is_star(hole) { is_star(c) } else { c == hole };
        let hidden = text.chars().filter(|c| character(*c)).count();
        if hidden == 0 || hidden == text.chars().count() {
            return None;
        }
        let mut pieces: Vec<MaskPiece> = Vec::new();
        for c in text.chars() {
            match (pieces.last_mut(), character(c)) {
                (Some(MaskPiece::Hidden(count)), true) => *count += 1,
                (_, true) => pieces.push(MaskPiece::Hidden(1)),
                (Some(MaskPiece::Known(known)), false) => known.push(c),
                (_, false) => pieces.push(MaskPiece::Known(c.to_string())),
            }
        }
        // A star stands for anything, and so does a row of them at the end.
        let last = pieces.len() - 1;
        for (at, piece) in pieces.iter_mut().enumerate() {
            if is_star(hole)
                && (*piece == MaskPiece::Hidden(1)
                    || (at == last && matches!(piece, MaskPiece::Hidden(_))))
            {
                *piece = MaskPiece::Anything;
            }
        }
        let known: String = pieces
            .iter()
            .filter_map(|piece| {
                if let MaskPiece::Known(known) = piece { Some(known.as_str()) } else { None }
            })
            .collect();
        // Letters and signs that stand in values, too, hide something only at one end, beside digits.
        let sure = is_star(hole)
            || "•█▒□●".contains(hole)
            || (pieces.len() == 2
                && known.chars().any(|c| c.is_ascii_digit())
                && !known.chars().any(|c| c.is_ascii_lowercase()));
        sure.then_some(LabelSpelling::Mask(pieces))
    };
    ['*', '#', 'x', 'X', '?', '_', '•', '●', '█', '.', '-'].into_iter().find_map(hides)
}

impl MaskPiece {
    /// Whether a value can be what is left of it. Greedy with a place to return to, so in the worst case as many steps as
    /// the lengths multiplied.
    pub fn fit(pieces: &[MaskPiece], value: &str) -> bool {
        let characters: Vec<char> = value.chars().collect();
        let mut pattern: Vec<Option<Option<char>>> = Vec::new();
        for piece in pieces {
            match piece {
                MaskPiece::Known(known) => pattern.extend(known.chars().map(|c| Some(Some(c)))),
                MaskPiece::Hidden(count) => pattern.extend(std::iter::repeat_n(Some(None), *count)),
                MaskPiece::Anything => pattern.push(None),
            }
        }
        let (mut at, mut place) = (0, 0);
        let mut back: Option<(usize, usize)> = None;
        while at < characters.len() {
            match pattern.get(place) {
                Some(None) => {
                    back = Some((place, at));
                    place += 1;
                }
                Some(Some(wanted)) if wanted.is_none_or(|wanted| wanted == characters[at]) => {
                    at += 1;
                    place += 1;
                }
                _ => match &mut back {
                    Some((star, from)) => {
                        *from += 1;
                        (at, place) = (*from, *star + 1);
                    }
                    None => return false,
                },
            }
        }
        pattern[place..].iter().all(Option::is_none)
    }
}
