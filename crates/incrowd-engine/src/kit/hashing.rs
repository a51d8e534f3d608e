//! Hashing with keys that nobody outside knows.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::LazyLock;

use foldhash::SharedSeed;
use foldhash::fast::FoldHasher;

/// What hashes are made of in this process.
struct HashSeeds {
    seed: u64,
    shared: SharedSeed,
    words: [u64; 2],
}

static KEYS: LazyLock<HashSeeds> = LazyLock::new(|| {
    // The standard library draws these from the system's randomness.
    let random = || RandomState::new().hash_one(());
    HashSeeds {
        seed: random(),
        shared: SharedSeed::from_u64(random()),
        words: [random(), random()],
    }
});

/// Fast hashes under keys that differ from process to process: whoever makes a table cannot make its values collide,
/// which would take hours instead of seconds. So nothing that is made of a hash, or of the order of a hash map, may
/// reach output.
#[derive(Debug, Clone)]
pub struct KeyedHashState {
    seed: u64,
    shared: &'static SharedSeed,
}

impl Default for KeyedHashState {
    #[inline]
    fn default() -> Self {
        let HashSeeds { seed, shared, .. } = &*KEYS;
        KeyedHashState { seed: *seed, shared }
    }
}

impl BuildHasher for KeyedHashState {
    type Hasher = FoldHasher<'static>;

    #[inline]
    fn build_hasher(&self) -> FoldHasher<'static> {
        FoldHasher::with_seed(self.seed, self.shared)
    }
}

impl KeyedHashState {
    /// Two words that nobody outside knows, for hashes by hand.
    #[inline]
    pub(crate) fn words() -> [u64; 2] {
        KEYS.words
    }
}
