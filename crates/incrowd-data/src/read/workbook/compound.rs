//! OLE compound files, in which .xls workbooks come: see [MS-CFB].
//!
//! A file can say that a part of it is followed by itself, or that its sheets are wider than memory. The reader of
//! workbooks trusts such files, so it only gets what has been taken out of them here, in a file made anew.

/// Ends a chain of sectors; what is above marks sectors of other kinds.
const LAST_SECTOR: u32 = 0xFFFF_FFFA;
const END_OF_CHAIN: u32 = 0xFFFF_FFFE;
const FREE: u32 = 0xFFFF_FFFF;
const TABLE: u32 = 0xFFFF_FFFD;
/// Streams that are shorter lie in sectors of 64 bytes.
const SHORT: u64 = 4096;
const ENTRY: usize = 128;
/// In files made here.
const SECTOR: usize = 4096;
/// So many tables of what follows what are listed in the header.
const IN_HEADER: usize = 109;

pub(super) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|it| u16::from_le_bytes(*it))
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|it| u32::from_le_bytes(*it))
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// A compound file.
pub(super) struct CompoundFile {
    entries: Vec<DirectoryEntry>,
    sectors: SectorTable,
    short: SectorTable,
}

struct DirectoryEntry {
    name: String,
    start: u32,
    length: u64,
}

/// Pieces of one size, and which follows which.
struct SectorTable {
    bytes: Vec<u8>,
    size: usize,
    next: Vec<u32>,
}

impl SectorTable {
    fn get(&self, at: u32) -> Option<&[u8]> {
        let start = (at as usize).checked_mul(self.size)?;
        let end = start.checked_add(self.size)?.min(self.bytes.len());
        self.bytes.get(start..end).filter(|sector| !sector.is_empty())
    }

    /// A sector and those that follow it, up to a length. None where they go in a circle or out of the file.
    fn chain(&self, mut at: u32, length: u64) -> Option<Vec<u8>> {
        let mut chain = Vec::new();
        while at < LAST_SECTOR && (chain.len() as u64) < length {
            if chain.len() > self.bytes.len() {
                return None;
            }
            chain.extend_from_slice(self.get(at)?);
            at = *self.next.get(at as usize)?;
        }
        chain.truncate(usize::try_from(length).unwrap_or(usize::MAX));
        Some(chain)
    }
}

impl CompoundFile {
    pub(super) fn new(bytes: &[u8]) -> Option<Self> {
        let size = match u16_at(bytes, 30)? {
            9 => 512,
            12 => 4096,
            _ => return None,
        };
        let body = bytes.get(size..)?.to_vec();
        let mut sectors = SectorTable { bytes: body, size, next: Vec::new() };
        // The first sectors of the table of what follows what stand in the header, the others in a chain of their own.
        let mut tables = words(bytes.get(76..512)?);
        let mut more = u32_at(bytes, 68)?;
        let mut looked_at = 0;
        while more < LAST_SECTOR {
            looked_at += size;
            if looked_at > sectors.bytes.len() {
                return None;
            }
            tables.extend(words(sectors.get(more)?));
            more = tables.pop()?;
        }
        let mut next = Vec::new();
        for &table in tables.iter().filter(|&&table| table < LAST_SECTOR) {
            if next.len() > sectors.bytes.len() {
                return None;
            }
            next.extend(words(sectors.get(table)?));
        }
        sectors.next = next;
        let directory = sectors.chain(u32_at(bytes, 48)?, u64::MAX)?;
        let entries: Vec<DirectoryEntry> = directory
            .chunks_exact(ENTRY)
            .map(|entry| {
                let units = entry.get(..64)?.as_chunks().0.iter();
                let units =
                    units.map(|unit| u16::from_le_bytes(*unit)).take_while(|unit| *unit != 0);
                let name = char::decode_utf16(units).map(|it| it.unwrap_or('\u{fffd}')).collect();
                // Half of the length is of no use in a file of small sectors.
                let high = if size == 512 { 0 } else { u32_at(entry, 124)? };
                let length = u64::from(high) << 32 | u64::from(u32_at(entry, 120)?);
                Some(DirectoryEntry { name, start: u32_at(entry, 116)?, length })
            })
            .collect::<Option<_>>()?;
        let root = entries.first()?;
        let short = match u32_at(bytes, 64)? {
            0 => SectorTable { bytes: Vec::new(), size: 64, next: Vec::new() },
            _ => SectorTable {
                bytes: sectors.chain(root.start, root.length)?,
                size: 64,
                next: words(&sectors.chain(u32_at(bytes, 60)?, u64::MAX)?),
            },
        };
        Some(CompoundFile { entries, sectors, short })
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.entries.iter().any(|entry| entry.name.eq_ignore_ascii_case(name))
    }

    /// A stream of the file.
    pub(super) fn stream(&self, name: &str) -> Option<Vec<u8>> {
        let entry = self.entries.iter().find(|entry| entry.name.eq_ignore_ascii_case(name))?;
        let sectors = if entry.length < SHORT { &self.short } else { &self.sectors };
        sectors.chain(entry.start, entry.length)
    }
}

/// A compound file of a single stream. None if the stream is too long for a file whose header lists all of its tables:
/// half a gigabyte.
pub(super) fn compound_of(name: &str, mut stream: Vec<u8>) -> Option<Vec<u8>> {
    // No stream here lies in short sectors.
    let length = stream.len().max(SHORT as usize);
    stream.resize(length.next_multiple_of(SECTOR), 0);
    // The sectors: the directory, the stream, and the tables of what follows what.
    let (data, per_table) = (stream.len() / SECTOR, SECTOR / 4);
    let tables = (1 + data).div_ceil(per_table - 1);
    if tables > IN_HEADER {
        return None;
    }
    let mut next: Vec<u32> = vec![END_OF_CHAIN];
    next.extend((2..=data as u32).chain([END_OF_CHAIN]));
    next.extend(std::iter::repeat_n(TABLE, tables));
    next.resize(tables * per_table, FREE);

    let mut file = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1".to_vec();
    file.resize(24, 0);
    for half in [0x3E_u16, 4, 0xFFFE, 12, 6, 0, 0, 0] {
        file.extend(half.to_le_bytes());
    }
    let header = [1, tables as u32, 0, 0, SHORT as u32, END_OF_CHAIN, 0, END_OF_CHAIN, 0];
    let first_table = 1 + data as u32;
    let listed = (first_table..first_table + tables as u32).chain(std::iter::repeat(FREE));
    for word in header.into_iter().chain(listed.take(IN_HEADER)) {
        file.extend(word.to_le_bytes());
    }
    file.resize(SECTOR, 0);
    let entries = [("Root Entry", 5, 1, 0), (name, 2, FREE, length as u64)];
    for (name, kind, child, length) in entries {
        let begins = file.len();
        name.encode_utf16().for_each(|unit| file.extend(unit.to_le_bytes()));
        file.resize(begins + 64, 0);
        file.extend((2 * (name.encode_utf16().count() as u16 + 1)).to_le_bytes());
        file.extend([kind, 1]);
        [FREE, FREE, child].iter().for_each(|word| file.extend(word.to_le_bytes()));
        file.resize(begins + 116, 0);
        file.extend(1_u32.to_le_bytes());
        file.extend(length.to_le_bytes());
    }
    file.resize(2 * SECTOR, 0);
    file.extend(stream);
    next.iter().for_each(|word| file.extend(word.to_le_bytes()));
    Some(file)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;

    #[test]
    fn a_stream_comes_back() {
        for length in [0, 1, 4095, 4096, 4097, 5_000_000] {
            let stream: Vec<u8> = (0..length).map(|at: u32| (at % 251) as u8).collect();
            let file = compound_of("Workbook", stream.clone()).unwrap();
            let read = CompoundFile::new(&file).unwrap();
            assert!(read.has("WORKBOOK") && !read.has("Book"));
            let again = read.stream("Workbook").unwrap();
            assert_eq!(again.len(), stream.len().max(4096));
            assert_eq!(again[..stream.len()], stream);
        }
    }

    /// Sectors that follow themselves have no end.
    #[test]
    fn circles_are_refused() {
        let mut file = compound_of("Workbook", vec![7; 10_000]).unwrap();
        let table = file.len() - SECTOR;
        assert_eq!(u32_at(&file, table), Some(END_OF_CHAIN));
        file[table..table + 4].copy_from_slice(&0_u32.to_le_bytes());
        assert!(CompoundFile::new(&file).is_none());
        for cut in [0, 30, 511, 4096, 9000] {
            let _ = CompoundFile::new(&file[..cut]);
        }
    }
}
