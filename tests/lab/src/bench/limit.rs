use anyhow::Result;

use super::{Place, statistics::quantile};

/// Writes `BYTES` to `DEVICE` in a row, past the cache; each `EVERY` bytes, if any, a flush or a pause
/// of `PAUSE` seconds; a flush at the end. Prints the seconds.
const WRITE: &str = r"
import mmap, os, sys, time
device, size, every, pause = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
block = mmap.mmap(-1, 1 << 20)
block.write(os.urandom(1 << 20))
out = os.open(device, os.O_WRONLY | os.O_DIRECT)
begin = time.monotonic()
size = (size + 511) // 512 * 512
for offset in range(0, size, len(block)):
    if every and offset and offset % every == 0:
        if pause:
            time.sleep(pause)
        else:
            os.fsync(out)
    length = min(len(block), size - offset)
    os.pwrite(out, memoryview(block)[:length], offset + (4 << 20))
os.fsync(out)
print(time.monotonic() - begin)
";

/// The fastest of three ways of writing so many bytes directly: in a row, with a flush each 8 MiB,
/// with a pause of 60 ms each 8 MiB.
pub(super) fn seconds(place: &mut dyn Place, bytes: u64) -> Result<f64> {
    let mut all = Vec::new();
    for (every, pause) in [("0", "0"), ("8388608", "0"), ("8388608", "0.06")] {
        let device = place.fresh(false)?;
        let bytes = bytes.to_string();
        let command = ["python3", "-c", WRITE, &device, &bytes, every, pause];
        all.push(place.root(&command)?.success()?.text().parse()?);
    }
    eprintln!("    plain, with flushes, with pauses: {all:.2?} s");
    Ok(quantile(&all, 0.0).expect("there are three"))
}
