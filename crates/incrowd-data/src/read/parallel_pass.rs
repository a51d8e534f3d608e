//! One parallel pass over a source.
//!
//! Blocks are taken one after the other under a lock (reading and cutting is the quick part), and
//! decoded and worked on in parallel. A worker holds one block at a time.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use incrowd_engine::{Control, Event};

use super::chunk::Chunk;
use crate::{Error, Result};

/// How far a pass has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ReadProgress {
    /// Bytes of the file that have been read.
    pub(super) bytes: u64,
    /// Bytes of the file.
    pub(super) total: u64,
    /// Rows that have been read.
    pub(super) rows: u64,
}

/// Gives the blocks of a source, in order.
pub(super) trait BlockFeed: Send {
    /// Data that has been read but not understood yet.
    type Block: Default + Send;

    /// Fills `block`, whose buffers are used again; `false` at the end.
    fn next(&mut self, block: &mut Self::Block) -> Result<bool>;

    /// How far it has come.
    fn progress(&self) -> ReadProgress;
}

/// Turns blocks into chunks.
pub(super) trait BlockDecoder<Block>: Sync {
    /// Fills `chunk`, whose buffers are used again.
    fn decode(&self, block: &mut Block, chunk: &mut Chunk) -> Result<()>;
}

/// Hands out blocks and counts them.
struct BlockDispatcher<'a, F> {
    feed: F,
    control: &'a Control,
    taken: u64,
    closed: bool,
}

impl<'a, F: BlockFeed> BlockDispatcher<'a, F> {
    fn new(feed: F, control: &'a Control) -> Self {
        BlockDispatcher { feed, control, taken: 0, closed: false }
    }

    /// The next block's number, or the failure to get it; `None` when there is no more. Nothing
    /// comes after a failure.
    fn take(&mut self, block: &mut F::Block) -> Option<(u64, Result<()>)> {
        if self.closed {
            return None;
        }
        let cancelled = self.control.is_cancelled();
        let taken = if cancelled { Err(Error::interrupted()) } else { self.feed.next(block) };
        let ReadProgress { bytes, total, rows } = self.feed.progress();
        self.control.tell(Event::Data { bytes, total, rows });
        self.closed = !matches!(taken, Ok(true));
        if let Ok(false) = taken {
            return None;
        }
        self.taken += 1;
        Some((self.taken - 1, taken.map(|_| ())))
    }
}

/// A panic elsewhere is passed on when its thread is joined; until then the data is still sound.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `step` over all chunks in any order, with one state per thread.
pub(super) fn fold<F: BlockFeed, S: Send>(
    feed: F,
    decoder: &impl BlockDecoder<F::Block>,
    threads: usize,
    init: impl Fn() -> S + Sync,
    step: impl Fn(&mut S, &Chunk) -> Result<()> + Sync,
    control: &Control,
) -> Result<Vec<S>> {
    let desk = Mutex::new(BlockDispatcher::new(feed, control));
    // Blocks are handed out in order, so those before a failed one are all in good hands, and the
    // failure with the lowest number is the first one in the file.
    let failure: Mutex<Option<(u64, Error)>> = Mutex::new(None);
    let work = || {
        let mut state = init();
        let (mut block, mut chunk) = (F::Block::default(), Chunk::default());
        loop {
            let taken = lock(&desk).take(&mut block);
            let Some((number, taken)) = taken else { return state };
            let done = taken
                .and_then(|()| decoder.decode(&mut block, &mut chunk))
                .and_then(|()| step(&mut state, &chunk));
            if let Err(error) = done {
                lock(&desk).closed = true;
                let mut failure = lock(&failure);
                if failure.as_ref().is_none_or(|&(first, _)| number < first) {
                    *failure = Some((number, error));
                }
            }
        }
    };
    let states = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut states = vec![work()];
        for other in others {
            states.push(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        states
    });
    match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some((_, error)) => Err(error),
        None => Ok(states),
    }
}

/// Runs `work` over all chunks in parallel and gives `collect` the results in input order.
pub(super) fn map_in_order<F: BlockFeed, T: Send>(
    feed: F,
    decoder: &impl BlockDecoder<F::Block>,
    threads: usize,
    work: impl Fn(&Chunk) -> Result<T> + Sync,
    mut collect: impl FnMut(T) -> Result<()>,
    control: &Control,
) -> Result<()> {
    let mut desk = BlockDispatcher::new(feed, control);
    if threads == 1 {
        let (mut block, mut chunk) = (F::Block::default(), Chunk::default());
        while let Some((_, taken)) = desk.take(&mut block) {
            taken?;
            decoder.decode(&mut block, &mut chunk)?;
            collect(work(&chunk)?)?;
        }
        return Ok(());
    }
    // A block may be taken only for a token, and a token comes back when a block's result has been
    // collected: so no more than this many results wait for a slow one before them.
    let (tokens, ration) = channel();
    for _ in 0..2 * threads {
        let _ = tokens.send(());
    }
    let desk = Mutex::new((desk, ration));
    let (results, arrivals) = channel();
    let worker = |results: Sender<_>| {
        let (mut block, mut chunk) = (F::Block::default(), Chunk::default());
        loop {
            let taken = {
                let (desk, ration) = &mut *lock(&desk);
                if ration.recv().is_err() {
                    return;
                }
                desk.take(&mut block)
            };
            let Some((number, taken)) = taken else { return };
            // A panic is sent on as a result: the others would wait for this one forever.
            let done = catch_unwind(AssertUnwindSafe(|| {
                taken?;
                decoder.decode(&mut block, &mut chunk)?;
                work(&chunk)
            }));
            if results.send((number, done)).is_err() {
                return;
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..threads {
            let results = results.clone();
            scope.spawn(|| worker(results));
        }
        drop(results);
        deliver(arrivals, tokens, &mut collect)
    })
}

/// Puts results into order. When it ends, early or not, both channels close and so end the workers.
fn deliver<T>(
    arrivals: Receiver<(u64, thread::Result<Result<T>>)>,
    tokens: Sender<()>,
    collect: &mut impl FnMut(T) -> Result<()>,
) -> Result<()> {
    let mut waiting = BTreeMap::new();
    let mut next = 0;
    for (number, done) in arrivals {
        waiting.insert(number, done);
        while let Some(done) = waiting.remove(&next) {
            collect(done.unwrap_or_else(|panic| resume_unwind(panic))?)?;
            next += 1;
            // Nobody takes a token any more when the input has ended.
            let _ = tokens.send(());
        }
    }
    Ok(())
}
