//! Hashing with keys that nobody outside knows.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::LazyLock;

use foldhash::SharedSeed;
use foldhash::fast::FoldHasher;

/// What hashes are made of in this process, drawn from the system's randomness by the standard library.
static KEYS: LazyLock<(u64, SharedSeed, [u64; 2])> = LazyLock::new(|| {
    let random = || RandomState::new().hash_one(());
    (random(), SharedSeed::from_u64(random()), [random(), random() | 1])
});

/// Fast hashes under keys of this process: no release can be made whose values collide, which would take hours to judge.
/// Nothing that is made of a hash reaches a verdict.
#[derive(Clone)]
pub(crate) struct KeyedState {
    seed: u64,
    shared: &'static SharedSeed,
}

impl Default for KeyedState {
    #[inline]
    fn default() -> Self {
        let (seed, shared, _) = &*KEYS;
        KeyedState { seed: *seed, shared }
    }
}

impl BuildHasher for KeyedState {
    type Hasher = FoldHasher<'static>;

    #[inline]
    fn build_hasher(&self) -> FoldHasher<'static> {
        FoldHasher::with_seed(self.seed, self.shared)
    }
}

/// A start and an odd factor for hashes by hand.
#[inline]
pub(crate) fn words() -> [u64; 2] {
    KEYS.2
}
