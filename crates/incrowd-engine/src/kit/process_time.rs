//! The processor's clock.

use std::time::Duration;

/// A moment of the CPU time that the whole process has taken, all of its threads together.
#[derive(Debug, Clone, Copy)]
pub struct ProcessTime(Duration);

impl ProcessTime {
    /// This moment.
    #[must_use]
    pub fn now() -> Self {
        ProcessTime(spent())
    }

    /// What the process has taken since then.
    #[must_use]
    pub fn elapsed(self) -> Duration {
        spent().saturating_sub(self.0)
    }
}

#[cfg(all(
    unix,
    not(any(
        target_os = "illumos",
        target_os = "netbsd",
        target_os = "redox",
        target_os = "solaris"
    ))
))]
fn spent() -> Duration {
    use rustix::time::{ClockId, clock_gettime};

    let spent = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(spent.tv_sec.unsigned_abs(), spent.tv_nsec as u32)
}

/// Elsewhere rustix has no such clock, and wall time stands for it. That is right for one busy thread, and too
/// little for several.
#[cfg(not(all(
    unix,
    not(any(
        target_os = "illumos",
        target_os = "netbsd",
        target_os = "redox",
        target_os = "solaris"
    ))
)))]
fn spent() -> Duration {
    use std::sync::OnceLock;
    use std::time::Instant;

    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_all_threads_counts() {
        let (cpu, busy) = (ProcessTime::now(), Duration::from_millis(20));
        std::thread::spawn(move || {
            while cpu.elapsed() < busy {
                std::hint::spin_loop();
            }
        })
        .join()
        .expect("a thread that ends");
        assert!(cpu.elapsed() >= busy);
    }
}
