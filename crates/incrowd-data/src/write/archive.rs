//! Zip archives, written from their beginning to their end: see APPNOTE.TXT.

use std::io::{self, BufWriter, Write};

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

/// A zip archive under way. Errors of what it is written to are handed on.
pub(super) struct ZipWriter<W: Write> {
    out: CountingWriter<W>,
    parts: Vec<ZipEntry>,
}

/// What the directory says of a part.
struct ZipEntry {
    name: &'static str,
    crc: u32,
    packed: u32,
    size: u32,
    at: u32,
    flags: u16,
}

/// The sizes and the checksum of a part stand behind it.
const SIZES_FOLLOW: u16 = 1 << 3;
const DEFLATED: u16 = 8;
const VERSION: u16 = 20;
/// The first day that an archive can name, 1980-01-01.
const DAY: u16 = 1 << 5 | 1;

/// Counts what is written.
struct CountingWriter<W: Write> {
    out: BufWriter<W>,
    written: u64,
}

impl<W: Write> Write for CountingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.written += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn halves(words: &[u16]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn fits(size: u64) -> io::Result<u32> {
    let too_large = || io::Error::other("a workbook of more than 4 GiB cannot be written");
    u32::try_from(size).map_err(|_| too_large())
}

impl<W: Write> ZipWriter<W> {
    pub(super) fn new(out: W) -> Self {
        let out = CountingWriter { out: BufWriter::with_capacity(1 << 17, out), written: 0 };
        ZipWriter { out, parts: Vec::new() }
    }

    /// Adds a part that is there already.
    pub(super) fn add(&mut self, name: &'static str, bytes: &[u8]) -> io::Result<()> {
        let mut packed = DeflateEncoder::new(Vec::new(), Compression::default());
        packed.write_all(bytes)?;
        let packed = packed.finish()?;
        let mut crc = Crc::new();
        crc.update(bytes);
        let (size, at) = (fits(bytes.len() as u64)?, fits(self.out.written)?);
        let (crc, length) = (crc.sum(), fits(packed.len() as u64)?);
        self.parts.push(ZipEntry { name, crc, packed: length, size, at, flags: 0 });
        self.header()?;
        self.out.write_all(&packed)
    }

    /// Begins a part of any length.
    pub(super) fn begin(mut self, name: &'static str) -> io::Result<OpenEntry<W>> {
        let at = fits(self.out.written)?;
        self.parts.push(ZipEntry { name, crc: 0, packed: 0, size: 0, at, flags: SIZES_FOLLOW });
        self.header()?;
        let ZipWriter { out, parts } = self;
        let from = out.written;
        let packing = DeflateEncoder::new(out, Compression::default());
        Ok(OpenEntry { packing, parts, from, crc: Crc::new(), size: 0 })
    }

    /// The header of the last part.
    fn header(&mut self) -> io::Result<()> {
        let Some(part) = self.parts.last() else { return Ok(()) };
        self.out.write_all(b"PK\x03\x04")?;
        self.out.write_all(&part.about())?;
        self.out.write_all(part.name.as_bytes())
    }

    /// Writes the directory.
    pub(super) fn finish(mut self) -> io::Result<W> {
        let from = fits(self.out.written)?;
        for part in &self.parts {
            self.out.write_all(b"PK\x01\x02")?;
            self.out.write_all(&halves(&[VERSION]))?;
            self.out.write_all(&part.about())?;
            // No remark, on the first disk, of no special kind.
            self.out.write_all(&halves(&[0, 0, 0, 0, 0]))?;
            self.out.write_all(&words(&[part.at]))?;
            self.out.write_all(part.name.as_bytes())?;
        }
        let length = fits(self.out.written)? - from;
        let number = self.parts.len() as u16;
        self.out.write_all(b"PK\x05\x06")?;
        self.out.write_all(&halves(&[0, 0, number, number]))?;
        self.out.write_all(&words(&[length, from]))?;
        self.out.write_all(&halves(&[0]))?;
        self.out.out.into_inner().map_err(io::IntoInnerError::into_error)
    }
}

impl ZipEntry {
    /// What stands in the header and in the directory alike.
    fn about(&self) -> Vec<u8> {
        let mut about = halves(&[VERSION, self.flags, DEFLATED, 0, DAY]);
        about.extend(words(&[self.crc, self.packed, self.size]));
        about.extend(halves(&[self.name.len() as u16, 0]));
        about
    }
}

/// A part that is being written.
pub(super) struct OpenEntry<W: Write> {
    packing: DeflateEncoder<CountingWriter<W>>,
    parts: Vec<ZipEntry>,
    from: u64,
    crc: Crc,
    size: u64,
}

impl<W: Write> OpenEntry<W> {
    pub(super) fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.crc.update(bytes);
        self.size += bytes.len() as u64;
        fits(self.size)?;
        self.packing.write_all(bytes)
    }

    /// Ends the part.
    pub(super) fn end(self) -> io::Result<ZipWriter<W>> {
        let OpenEntry { packing, mut parts, from, crc, size } = self;
        let mut out = packing.finish()?;
        let (packed, size) = (fits(out.written - from)?, fits(size)?);
        out.write_all(b"PK\x07\x08")?;
        out.write_all(&words(&[crc.sum(), packed, size]))?;
        if let Some(part) = parts.last_mut() {
            (part.crc, part.packed, part.size) = (crc.sum(), packed, size);
        }
        Ok(ZipWriter { out, parts })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use std::io::Read;

    use super::*;

    /// A disk with room for so many bytes.
    struct Disk {
        bytes: Vec<u8>,
        room: usize,
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.bytes.len() + bytes.len() > self.room {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.bytes.extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn written(room: usize, text: &[u8]) -> io::Result<Vec<u8>> {
        let mut archive = ZipWriter::new(Disk { bytes: Vec::new(), room });
        archive.add("small", b"little")?;
        let mut part = archive.begin("large")?;
        for piece in text.chunks(1000) {
            part.write_all(piece)?;
        }
        Ok(part.end()?.finish()?.bytes)
    }

    #[test]
    fn parts_come_back_and_a_full_disk_is_an_error() {
        let mut state = 1_u32;
        let mut noise = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        let text: Vec<u8> = (0..300_000).map(|_| noise()).collect();
        let bytes = written(usize::MAX, &text).unwrap();
        let mut read = zip::ZipArchive::new(io::Cursor::new(&bytes)).unwrap();
        let mut part = |name: &str| {
            let mut bytes = Vec::new();
            read.by_name(name).unwrap().read_to_end(&mut bytes).unwrap();
            bytes
        };
        assert_eq!(part("small"), b"little");
        assert!(part("large") == text);
        for room in (0..bytes.len()).step_by(7919).chain([bytes.len() - 1]) {
            assert_eq!(written(room, &text).unwrap_err().kind(), io::ErrorKind::StorageFull);
        }
    }
}
