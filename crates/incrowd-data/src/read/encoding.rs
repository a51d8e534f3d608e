//! In which encoding a text is, and the same text in UTF-8.
//!
//! UTF-8 is read as it is. Whatever else is found, or named, is turned into UTF-8 once, in a temporary file.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

use encoding_rs::{DecoderResult, Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use super::converted_file::ConvertedFile;
use super::file::{FileHandle, InputCompression, fill};
use crate::{Error, Result};

/// Plain texts up to this size are checked from end to end before they are read, which takes a fraction of the
/// time that reading takes; of larger ones some windows are looked at.
const CHECKED: u64 = 32 << 20;
/// How much of a compressed text is looked at.
const CHECKED_COMPRESSED: u64 = 8 << 20;
const WINDOWS: u64 = 16;
const WINDOW: usize = 1 << 20;

/// A text with so many characters beyond ASCII that are UTF-8, and none that is not, is UTF-8.
const ENOUGH: u64 = 1_000;

/// How much of a text is looked at to tell UTF-16.
const HEAD: usize = 64 << 10;

/// Bytes that mean nothing in Windows-1252.
const UNDEFINED: [u8; 5] = [0x81, 0x8d, 0x8f, 0x90, 0x9d];

const EXAMPLES: &str =
    "windows-1252, windows-1251, windows-1250, utf-16le, shift_jis, gb18030, big5";

/// The encoding of a name such as `latin1` or `windows-1252`, as web browsers know it.
pub fn parse_encoding(name: &str) -> Result<&'static Encoding> {
    let plain = name.trim().to_ascii_lowercase();
    // How Python and databases call them.
    let plain = match plain.as_str() {
        "utf16" | "utf_16" => "utf-16le".to_owned(),
        "utf8" | "utf_8" | "utf-8-sig" => "utf-8".to_owned(),
        "latin-1" | "latin_1" => "latin1".to_owned(),
        other => match other.strip_prefix("win-") {
            Some(page) => format!("windows-{page}"),
            None => other.replace('_', "-"),
        },
    };
    Encoding::for_label(plain.as_bytes())
        .or_else(|| Encoding::for_label(plain.replace('-', "_").as_bytes()))
        .ok_or_else(|| {
            Error::new(format!("unknown encoding `{name}`"))
                .help(format!("known are utf-8, {EXAMPLES} and more"))
        })
}

/// The text of a file in UTF-8, if it is in another encoding: that which is named, or that which is found.
pub(super) fn converted(
    handle: &FileHandle,
    compression: InputCompression,
    named: Option<&str>,
) -> Result<Option<ConvertedFile>> {
    let (encoding, note) = match named.map(parse_encoding).transpose()? {
        Some(encoding) if encoding == UTF_8 => return Ok(None),
        Some(encoding) => (encoding, None),
        None => match found(handle, compression)? {
            None => return Ok(None),
            Some((encoding, note)) => (encoding, Some(note)),
        },
    };
    let path = handle.path();
    let mut input = compression.decoder(handle, 0).map_err(|e| compression.error(path, &e))?.input;
    let file = tempfile::tempfile()
        .map_err(|cause| Error::file("write the temporary file", path, &cause))?;
    let file =
        Transcoder { encoding, path, compression, named: named.is_some() }.run(&mut input, file)?;
    let text = FileHandle::of_file(file, path.to_owned())?;
    Ok(Some(ConvertedFile { text, notes: note.into_iter().collect() }))
}

/// The encoding that a text seems to be in, and what to say about it; none for UTF-8.
fn found(
    handle: &FileHandle,
    compression: InputCompression,
) -> Result<Option<(&'static Encoding, String)>> {
    let path = handle.path();
    let failed = |cause: io::Error| compression.error(path, &cause);
    let mut input = compression.decoder(handle, 0).map_err(failed)?.input;
    let mut head = Vec::new();
    fill(&mut input, &mut head, HEAD).map_err(failed)?;
    drop(input);
    let file = path.display();
    if let Some(encoding) = utf16(&head) {
        return Ok(Some((encoding, format!("{file} is in {} and was read so", encoding.name()))));
    }
    let mut seen = EncodingEvidence::default();
    look(handle, compression, &mut seen).map_err(failed)?;
    // A few damaged characters in a text that is UTF-8 otherwise are told when it is read, with their place.
    if seen.invalid == 0 || seen.characters > seen.invalid {
        return Ok(None);
    }
    let foreign = seen.neighbours * 2 > seen.invalid;
    if seen.undefined > 0 || foreign {
        let (byte, line) = (seen.byte, line_of(handle, compression, seen.first).map_err(failed)?);
        return Err(Error::new(format!(
            "{file} is not UTF-8, and its encoding is unclear: line {line} has the byte \
             0x{byte:02X}"
        ))
        .at(path, Some(line), None)
        .help(format!("name it with --encoding (encoding in [data]), such as {EXAMPLES}")));
    }
    let word = WINDOWS_1252.decode_without_bom_handling(&seen.word).0.into_owned();
    let note = format!(
        "{file} is not UTF-8 and was read as Windows-1252, which makes {} of its first such \
         word; if that is wrong, name another with --encoding",
        incrowd_engine::words::value(&word)
    );
    Ok(Some((WINDOWS_1252, note)))
}

/// UTF-16 by its byte order mark, or by the zeros beside letters.
fn utf16(head: &[u8]) -> Option<&'static Encoding> {
    match head {
        [0xff, 0xfe, ..] => return Some(UTF_16LE),
        [0xfe, 0xff, ..] => return Some(UTF_16BE),
        _ => {}
    }
    let (pairs, _) = head.as_chunks::<2>();
    if pairs.len() < 2 {
        return None;
    }
    let low = pairs.iter().filter(|pair| pair[0] != 0 && pair[1] == 0).count();
    let high = pairs.iter().filter(|pair| pair[0] == 0 && pair[1] != 0).count();
    // Delimiters, digits and line ends are enough for that, whatever the script.
    let most = |one: usize, other: usize| one * 10 >= pairs.len() * 3 && other * 50 <= one;
    match () {
        _ if most(low, high) => Some(UTF_16LE),
        _ if most(high, low) => Some(UTF_16BE),
        _ => None,
    }
}

/// What is seen of the bytes of a text.
#[derive(Debug, Default)]
struct EncodingEvidence {
    /// Characters beyond ASCII that are valid UTF-8.
    characters: u64,
    /// Bytes that are not.
    invalid: u64,
    /// Such bytes that mean nothing in Windows-1252.
    undefined: u64,
    /// Such bytes in a run of at least three: rare in languages with Latin letters, usual in other scripts.
    neighbours: u64,
    /// Where the first such byte is, which one, and the word around it.
    first: u64,
    byte: u8,
    word: Vec<u8>,
}

impl EncodingEvidence {
    /// Whether there is no doubt left.
    fn is_utf8(&self) -> bool {
        self.invalid == 0 && self.characters >= ENOUGH
    }

    /// Looks at some bytes that stand at `at` and begin and end at the ends of characters.
    fn add(&mut self, bytes: &[u8], at: u64) {
        if bytes.is_ascii() {
            return;
        }
        if str::from_utf8(bytes).is_ok() {
            // As many characters as bytes that begin one.
            self.characters += bytes.iter().filter(|byte| **byte >= 0xc0).count() as u64;
            return;
        }
        let mut before = 0;
        for part in bytes.utf8_chunks() {
            self.characters += part.valid().chars().filter(|c| !c.is_ascii()).count() as u64;
            let start = before + part.valid().len();
            before = start + part.invalid().len();
            let Some(&byte) = part.invalid().first() else { continue };
            if self.invalid == 0 {
                self.first = at + start as u64;
                self.byte = byte;
                self.word = word_at(bytes, start);
            }
            self.invalid += part.invalid().len() as u64;
            let undefined = |byte: &&u8| UNDEFINED.contains(byte);
            self.undefined += part.invalid().iter().filter(undefined).count() as u64;
            let high = |at: usize, by: isize| {
                at.checked_add_signed(by).and_then(|at| bytes.get(at)).is_some_and(|b| *b >= 0x80)
            };
            let between = |at: usize| {
                let (before, behind) = (high(at, -1), high(at, 1));
                before && (behind || high(at, -2)) || behind && high(at, 2)
            };
            self.neighbours += (start..before).filter(|&at| between(at)).count() as u64;
        }
    }
}

/// The word around a byte.
fn word_at(bytes: &[u8], at: usize) -> Vec<u8> {
    const LONGEST: usize = 24;
    let letter = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte >= 0x80;
    let before = bytes[..at].iter().rev().take(LONGEST).take_while(letter).count();
    let behind = bytes[at..].iter().take(LONGEST).take_while(letter).count();
    bytes[at - before..at + behind].to_vec()
}

/// Looks at a text: all of it, or some windows of a large one.
fn look(
    handle: &FileHandle,
    compression: InputCompression,
    seen: &mut EncodingEvidence,
) -> io::Result<()> {
    let (len, plain) = (handle.len(), compression == InputCompression::None);
    let whole = if plain { CHECKED } else { CHECKED_COMPRESSED };
    let mut buffer = Vec::new();
    if !plain || len <= whole {
        let mut input = compression.decoder(handle, 0)?.input.take(whole);
        let mut at = 0;
        loop {
            let kept = buffer.len();
            let ended = fill(&mut input, &mut buffer, WINDOW - kept)?;
            // What the limit cuts off may be the rest of a character.
            let cut = at + buffer.len() as u64 >= whole;
            let end = if ended && !cut { buffer.len() } else { end_of_line(&buffer) };
            seen.add(&buffer[..end], at);
            if ended || seen.is_utf8() {
                return Ok(());
            }
            at += end as u64;
            buffer.drain(..end);
        }
    }
    for window in 0..WINDOWS {
        let start = (len - WINDOW as u64) / (WINDOWS - 1) * window;
        buffer.clear();
        fill(&mut handle.reader(start), &mut buffer, WINDOW)?;
        let from = match window {
            0 => 0,
            _ => memchr::memchr(b'\n', &buffer).map_or(buffer.len(), |at| at + 1),
        };
        let end = end_of_line(&buffer).max(from);
        seen.add(&buffer[from..end], start + from as u64);
        if seen.is_utf8() {
            break;
        }
    }
    Ok(())
}

/// Behind the last line end, or where there is none behind the last byte that is a character by itself.
fn end_of_line(bytes: &[u8]) -> usize {
    let behind = |at: usize| at + 1;
    memchr::memrchr(b'\n', bytes)
        .or_else(|| bytes.iter().rposition(u8::is_ascii))
        .map_or(bytes.len(), behind)
}

/// The line on which a byte of the decoded text stands.
fn line_of(handle: &FileHandle, compression: InputCompression, at: u64) -> io::Result<u64> {
    let mut input = compression.decoder(handle, 0)?.input.take(at);
    let (mut buffer, mut line) = (vec![0; 1 << 16], 1);
    loop {
        match input.read(&mut buffer)? {
            0 => return Ok(line),
            got => line += memchr::memchr_iter(b'\n', &buffer[..got]).count() as u64,
        }
    }
}

/// Turns a text into UTF-8.
struct Transcoder<'a> {
    encoding: &'static Encoding,
    path: &'a Path,
    compression: InputCompression,
    named: bool,
}

impl Transcoder<'_> {
    fn run(&self, input: &mut dyn Read, file: File) -> Result<File> {
        let failed = |cause| Error::file("write the temporary file", self.path, &cause);
        let mut decoder = self.encoding.new_decoder_with_bom_removal();
        let mut file = BufWriter::new(file);
        let (mut bytes, mut text) = (Vec::new(), vec![0; 1 << 18]);
        // How many lines and characters of the last line have been written.
        let (mut lines, mut characters) = (1, 1);
        loop {
            bytes.clear();
            let ended = fill(input, &mut bytes, 1 << 16)
                .map_err(|e| self.compression.error(self.path, &e))?;
            let mut rest = bytes.as_slice();
            loop {
                let (result, read, written) =
                    decoder.decode_to_utf8_without_replacement(rest, &mut text, ended);
                rest = &rest[read..];
                let done = &text[..written];
                file.write_all(done).map_err(failed)?;
                lines += memchr::memchr_iter(b'\n', done).count() as u64;
                let last = memchr::memrchr(b'\n', done).map_or(0, |at| at + 1);
                let begun = done[last..].iter().filter(|byte| **byte & 0xc0 != 0x80).count() as u64;
                characters = if last > 0 { 1 + begun } else { characters + begun };
                match result {
                    DecoderResult::InputEmpty => break,
                    DecoderResult::OutputFull => {}
                    DecoderResult::Malformed(..) => return Err(self.malformed(lines, characters)),
                }
            }
            if ended {
                break;
            }
        }
        file.into_inner().map_err(|e| failed(e.into_error()))
    }

    fn malformed(&self, line: u64, character: u64) -> Error {
        let name = self.encoding.name();
        let help = match self.named {
            true => format!("is it in another encoding, such as {EXAMPLES}?"),
            false => {
                "the file is damaged, or in another encoding: name it with --encoding".to_owned()
            }
        };
        Error::new(format!("line {line}, character {character} is not valid {name}"))
            .at(self.path, Some(line), Some(character))
            .help(help)
    }
}
