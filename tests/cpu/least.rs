/// How often each is tried; the least is what it needs.
const TIMES: usize = 5;

/// Processor time in seconds that this work takes all threads of this process, or its children that
/// have ended.
pub(crate) fn least(who: libc::c_int, mut work: impl FnMut()) -> f64 {
    let each = (0..TIMES).map(|_| {
        let before = seconds(who);
        work();
        seconds(who) - before
    });
    each.fold(f64::MAX, f64::min)
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
