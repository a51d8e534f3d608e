//! Diagnoses by ICD-10: categories, blocks and chapters.
//!
//! The blocks are those of ICD-10-CM. Categories that it does not have, but ICD-10 or a national version has, lie in
//! their chapter, whose bounds all versions share.

const TABLE: &str = include_str!("icd10.txt");

/// A chapter with its blocks.
struct IcdChapter {
    /// Its lowest category, and its highest.
    first: &'static str,
    last: &'static str,
    label: String,
    blocks: Vec<IcdBlock>,
}

struct IcdBlock {
    first: &'static str,
    last: &'static str,
    /// Categories with a letter at their end, which no range of numbers holds.
    odd: Vec<&'static str>,
}

/// The groups of each code. Where all codes are categories already there is no level for these.
pub(super) fn ladders(values: &[&str]) -> Vec<Option<Vec<String>>> {
    let chapters = chapters();
    let codes: Vec<Option<String>> = values.iter().map(|value| code(value)).collect();
    let deep = codes.iter().flatten().any(|code| code.len() > 3);
    let ladder = |code: String| {
        let category = &code[..3];
        // Before the first category there is nothing.
        let chapter = chapters.iter().rev().find(|chapter| chapter.first <= category)?;
        let block = chapter.blocks.iter().find(|block| block.holds(category));
        let block = block.map_or_else(|| chapter.label.clone(), IcdBlock::label);
        // The official sign for a category with whatever is below it; `E11` could be a code of the table itself.
        let own = deep.then(|| format!("{category}.-"));
        Some(own.into_iter().chain([block, chapter.label.clone()]).collect())
    };
    codes.into_iter().map(|code| code.and_then(&ladder)).collect()
}

/// A code without its point, dashes and marks; none if it is not of ICD-10's form.
fn code(text: &str) -> Option<String> {
    let marks = ['.', '-', '+', '*', '†', '!', '#', ' '];
    let code: String = text.trim().to_ascii_uppercase().replace(marks, "");
    let [letter, digit, third, rest @ ..] = code.as_bytes() else { return None };
    let sound = letter.is_ascii_uppercase()
        && (digit.is_ascii_digit() || code.starts_with("QA"))
        && third.is_ascii_alphanumeric()
        && rest.len() <= 4
        && rest.iter().all(u8::is_ascii_alphanumeric);
    sound.then_some(code)
}

impl IcdBlock {
    fn holds(&self, category: &str) -> bool {
        match category.as_bytes() {
            [_, b'0'..=b'9', b'0'..=b'9'] => (self.first..=self.last).contains(&category),
            _ => self.odd.contains(&category),
        }
    }

    fn label(&self) -> String {
        // A block of one category is written as a range, too: it must not read like the category.
        format!("{}-{}", self.first, self.last)
    }
}

/// The chapters in the order of their categories.
fn chapters() -> Vec<IcdChapter> {
    let mut chapters: Vec<IcdChapter> = Vec::new();
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        if let Some((number, span)) = line.strip_prefix('=').and_then(|rest| rest.split_once(' ')) {
            let (first, last) = span.split_once('-').unwrap_or((span, span));
            let label = format!("chapter {number} ({span})");
            chapters.push(IcdChapter { first, last, label, blocks: Vec::new() });
        } else if let (Some(chapter), [span, odd @ ..]) =
            (chapters.last_mut(), &line.split(' ').collect::<Vec<_>>()[..])
            && let Some((first, last)) = span.split_once('-')
        {
            chapter.blocks.push(IcdBlock { first, last, odd: odd.to_vec() });
        }
    }
    chapters.sort_by_key(|chapter| chapter.first);
    // Other versions have categories before the first one of this: F00 is dementia, too.
    for at in 0..chapters.len() {
        let letter = chapters[at].first.get(..1).unwrap_or_default();
        let shared = at > 0 && chapters[at - 1].last.starts_with(letter);
        if !shared {
            chapters[at].first = letter;
        }
    }
    chapters
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn groups(code: &str) -> Option<String> {
        // A second, deeper code makes sure of a level for categories.
        ladders(&[code, "Z99.89"])[0].as_ref().map(|groups| groups.join(" | "))
    }

    #[test]
    fn codes_lie_in_blocks_and_blocks_in_chapters() {
        for (code, expected) in [
            ("E11.65", "E11.- | E08-E13 | chapter 4 (E00-E89)"),
            ("e1165", "E11.- | E08-E13 | chapter 4 (E00-E89)"),
            ("E11", "E11.- | E08-E13 | chapter 4 (E00-E89)"),
            ("A00.0", "A00.- | A00-A09 | chapter 1 (A00-B99)"),
            ("C4A.31", "C4A.- | C43-C44 | chapter 2 (C00-D49)"),
            ("C45.0", "C45.- | C45-C49 | chapter 2 (C00-D49)"),
            ("I1A.0", "I1A.- | I10-I1A | chapter 9 (I00-I99)"),
            ("I50.9", "I50.- | I30-I5A | chapter 9 (I00-I99)"),
            ("H60.3", "H60.- | H60-H62 | chapter 8 (H60-H95)"),
            ("S72.001A", "S72.- | S70-S79 | chapter 19 (S00-T88)"),
            ("U07.1", "U07.- | U00-U49 | chapter 22 (U00-U85)"),
            ("O9A.2", "O9A.- | O94-O9A | chapter 15 (O00-O9A)"),
            // Only in other versions than ICD-10-CM.
            ("F00.1", "F00.- | chapter 5 (F01-F99) | chapter 5 (F01-F99)"),
            ("E14.9", "E14.- | chapter 4 (E00-E89) | chapter 4 (E00-E89)"),
            ("E90", "E90.- | chapter 4 (E00-E89) | chapter 4 (E00-E89)"),
            ("M82.0*", "M82.- | M80-M85 | chapter 13 (M00-M99)"),
        ] {
            assert_eq!(groups(code).as_deref(), Some(expected), "{code}");
        }
        for bad in ["", "E1", "11.6", "flu", "E11.123456", "EE1", "É11"] {
            assert_eq!(groups(bad), None, "{bad}");
        }
    }

    #[test]
    fn categories_alone_need_no_level_of_their_own() {
        assert_eq!(ladders(&["E11"])[0].as_ref().unwrap().len(), 2);
    }

    #[test]
    fn every_block_lies_in_its_chapter_and_no_two_share_a_category() {
        let chapters = chapters();
        assert_eq!(chapters.len(), 22);
        let mut blocks = 0;
        for letter in 'A'..='Z' {
            for number in 0..100 {
                let category = format!("{letter}{number:02}");
                let holding: Vec<usize> = (0..chapters.len())
                    .filter(|&at| chapters[at].blocks.iter().any(|block| block.holds(&category)))
                    .collect();
                let held =
                    chapters.iter().flat_map(|c| &c.blocks).filter(|b| b.holds(&category)).count();
                assert!(held <= 1, "{category}");
                blocks += held;
                if let [at] = holding[..] {
                    let own = chapters.iter().rposition(|c| c.first <= category.as_str());
                    assert_eq!(own, Some(at), "{category}");
                }
            }
        }
        assert!(blocks > 1500, "{blocks}");
    }
}
