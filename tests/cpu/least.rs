use rustix::thread::{CpuSet, sched_getcpu, sched_setaffinity};

/// How often each is tried; the least is what it needs.
const TIMES: usize = 5;

/// Processor time in seconds that each work takes all threads of this process, or its children that
/// have ended. In turn, so that what else the computer does befalls them alike.
pub(crate) fn least<const WORKS: usize>(
    mut works: [(libc::c_int, &mut dyn FnMut()); WORKS],
) -> [f64; WORKS] {
    on_one_processor();
    let mut least = [f64::MAX; WORKS];
    for _ in 0..TIMES {
        for ((who, work), least) in works.iter_mut().zip(&mut least) {
            let before = seconds(*who);
            work();
            *least = least.min(seconds(*who) - before);
        }
    }
    least
}

/// Two threads that share a core count the time in which they wait for each other's use of it.
fn on_one_processor() {
    let mut one = CpuSet::new();
    one.set(sched_getcpu());
    sched_setaffinity(None, &one).unwrap();
}

fn seconds(who: libc::c_int) -> f64 {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the memory is as large as what the call fills in.
    assert_eq!(unsafe { libc::getrusage(who, usage.as_mut_ptr()) }, 0);
    // SAFETY: the call has succeeded; all zeroes were a valid value too.
    let usage = unsafe { usage.assume_init() };
    let of = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    of(usage.ru_utime) + of(usage.ru_stime)
}
