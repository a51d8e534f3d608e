//! The numbers of a certificate's body.

use std::io::{BufReader, Read};

use crate::error::{Error, Result};

/// A body, read number by number.
pub(crate) struct Input<R> {
    reader: BufReader<R>,
}

impl<R: Read> Input<R> {
    pub(crate) fn new(reader: R) -> Self {
        Input { reader: BufReader::with_capacity(1 << 16, reader) }
    }

    /// The next byte; nothing at the end.
    pub(crate) fn byte(&mut self) -> Result<Option<u8>> {
        let mut byte = [0];
        Ok((self.reader.read(&mut byte)? == 1).then_some(byte[0]))
    }

    /// The next number, seven bits a byte, the low ones first; nothing at the end.
    pub(crate) fn number(&mut self) -> Result<Option<u64>> {
        let Some(mut byte) = self.byte()? else { return Ok(None) };
        let (mut number, mut shift) = (0u64, 0);
        loop {
            let bits = u64::from(byte & 0x7f);
            if shift > 63 || bits << shift >> shift != bits {
                return Err(Error::Damaged("a number is too large"));
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(Some(number));
            }
            shift += 7;
            byte = self.byte()?.ok_or(Error::Damaged("it ends within a number"))?;
        }
    }

    /// The next number, which must be there and below a limit.
    pub(crate) fn below(&mut self, limit: usize) -> Result<usize> {
        let number = self.number()?.ok_or(Error::Damaged("it ends too early"))?;
        usize::try_from(number)
            .ok()
            .filter(|&number| number < limit)
            .ok_or(Error::Damaged("a number is out of range"))
    }
}
