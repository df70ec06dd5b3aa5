//! The plugin in a real nbdkit, with QEMU's own client at the other end.

#![allow(
    clippy::unwrap_used,
    clippy::large_stack_arrays,
    clippy::naive_bytecount,
    reason = "a test fails by panicking, and its buffers are written where they are used"
)]

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use steady_stick_model::{Control, Counters};
use tempfile::TempDir;

const M: usize = 1 << 20;

/// Polls until `ready` gives something; the limit only ends a test that hangs.
fn wait_for<T>(what: &str, mut ready: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(value) = ready() {
            return value;
        }
        assert!(
            start.elapsed() < Duration::from_mins(1),
            "waited in vain for {what}"
        );
        thread::sleep(Duration::from_millis(5));
    }
}

/// The plugin that cargo has built together with this test.
fn plugin() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.with_file_name("libsteady_stick_model.so")
}

fn nbdkit(parameters: &[String]) -> Command {
    let mut command = Command::new("nbdkit");
    command
        .args(["--foreground", "--exit-with-parent"])
        .args(parameters);
    command
}

fn start(mut command: Command) -> Child {
    let program = command.get_program().to_owned();
    command.spawn().unwrap_or_else(|error| {
        panic!(
            "{}: {error}. build-aux/check runs this in a Debian 13 tree that has it",
            program.display()
        )
    })
}

/// A stick in an nbdkit of its own.
struct Stick {
    folder: TempDir,
    nbdkit: Child,
    control: Control,
}

impl Stick {
    fn plug_in(profile: &str, more: &[&str]) -> Self {
        Self::plug_in_with(tempfile::tempdir().unwrap(), profile, more)
    }

    fn plug_in_with(folder: TempDir, profile: &str, more: &[&str]) -> Self {
        let path = |name| folder.path().join(name).display().to_string();
        let mut parameters = vec![
            format!("--unix={}", path("nbd")),
            plugin().display().to_string(),
            format!("file={}", path("medium")),
            format!("control={}", path("control")),
            format!("profile={profile}"),
        ];
        // A fake one says it in its profile.
        if !profile.starts_with("fake") {
            parameters.push("size=16M".to_owned());
        }
        parameters.extend(more.iter().map(ToString::to_string));
        // nbdkit does not take the place of a socket that a killed one has left behind.
        let _ = fs::remove_file(path("nbd"));
        let mut nbdkit = start(nbdkit(&parameters));
        let control = wait_for("the control socket", || {
            assert_eq!(nbdkit.try_wait().unwrap(), None, "nbdkit has ended");
            Path::new(&path("nbd")).exists().then_some(())?;
            Control::connect(path("control")).ok()
        });
        Self {
            folder,
            nbdkit,
            control,
        }
    }

    /// A running `qemu-io`, which takes commands from a pipe. `writeback` as in a virtual PC;
    /// otherwise every write is forced onto the medium.
    fn client(&self, arguments: &[&str]) -> Child {
        let mut command = Command::new("qemu-io");
        command
            .args(["-f", "raw"])
            .args(arguments)
            .arg(format!(
                "nbd+unix:///?socket={}",
                self.folder.path().join("nbd").display()
            ))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        start(command)
    }

    /// Runs commands to the end and returns what was printed.
    fn run(&self, arguments: &[&str], commands: &[&str]) -> String {
        let mut client = self.client(arguments);
        tell(&mut client, commands);
        let output = client.wait_with_output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    fn counters(&mut self) -> Counters {
        self.control.counters().unwrap()
    }

    fn wait_until(&mut self, what: &str, reached: impl Fn(&Counters) -> bool) {
        wait_for(what, || reached(&self.counters()).then_some(()));
    }

    fn medium(&self) -> Vec<u8> {
        fs::read(self.folder.path().join("medium")).unwrap()
    }

    /// Ends nbdkit as the lab does, and hands its folder on.
    fn unplug(mut self) -> TempDir {
        self.nbdkit.kill().unwrap();
        self.nbdkit.wait().unwrap();
        std::mem::replace(&mut self.folder, tempfile::tempdir().unwrap())
    }
}

impl Drop for Stick {
    fn drop(&mut self) {
        let _ = self.nbdkit.kill();
        let _ = self.nbdkit.wait();
    }
}

/// Hands over commands. Of several, `qemu-io` runs all but the first when its input ends.
fn tell(client: &mut Child, commands: &[&str]) {
    let stdin = client.stdin.as_mut().unwrap();
    for command in commands {
        writeln!(stdin, "{command}").unwrap();
    }
    stdin.flush().unwrap();
}

#[test]
fn what_is_written_is_read_back_and_on_the_medium() {
    let mut stick = Stick::plug_in("even", &[]);
    let printed = stick.run(
        &["-t", "writeback"],
        &[
            "write -P 0x41 1M 3M",
            "write -z 2M 64k",
            "flush",
            "read -P 0x41 1M 1M",
            "read -P 0 2M 64k",
        ],
    );
    assert!(printed.contains("wrote 3145728/3145728"), "{printed}");
    assert!(!printed.contains("verification failed"), "{printed}");
    let medium = stick.medium();
    assert_eq!(medium.len(), 16 * M);
    assert_eq!(medium[M..2 * M], [0x41; M]);
    assert_eq!(medium[2 * M..2 * M + 65_536], [0; 65_536]);

    let stats = stick.control.stats().unwrap();
    assert_eq!(stats.written, [(M as u64, 3 * M as u64)]);
    assert_eq!(stats.counters.bytes_written, 3 * M as u64 + 65_536);
    assert_eq!(stats.counters.on_medium_bytes, 3 * M as u64);
    assert_eq!(stats.counters.bytes_read, M as u64 + 65_536);
    // The one asked for, and QEMU's own when it closes.
    assert!(stats.counters.flushes >= 1);
}

#[test]
fn a_pull_loses_unflushed_blocks_for_good() {
    let mut stick = Stick::plug_in("volatile:seed=7,wbps=100e6", &[]);
    let mut client = stick.client(&["-t", "writeback"]);
    tell(&mut client, &["write -P 1 0 1M"]);
    stick.wait_until("a write", |counters| counters.bytes_written == M as u64);
    tell(&mut client, &["flush"]);
    stick.wait_until("a flush", |counters| counters.in_cache_bytes == 0);
    tell(&mut client, &["write -P 2 1M 1M"]);
    stick.wait_until("another", |counters| counters.in_cache_bytes == M as u64);
    let before = stick.counters();
    assert_eq!(
        (before.on_medium_bytes, before.in_cache_bytes),
        (M as u64, M as u64)
    );

    stick.control.power_off().unwrap();
    let pulled = stick.medium();
    assert_eq!(pulled[..M], [1; M]);
    let survived = pulled[M..2 * M].iter().filter(|byte| **byte == 2).count();
    assert!(0 < survived && survived < M);

    // What QEMU still sends when it closes the stick.
    tell(&mut client, &["write -P 3 0 4k", "flush", "quit"]);
    client.wait_with_output().unwrap();
    assert_eq!(stick.medium(), pulled);
    let after = stick.counters();
    assert_eq!(
        (after.flushes, after.bytes_written),
        (before.flushes, before.bytes_written)
    );
    assert_eq!(after.on_medium_bytes, (M + survived) as u64);

    let mut again = Stick::plug_in_with(stick.unplug(), "volatile", &[]);
    let printed = again.run(&["-t", "writeback"], &["read -P 1 0 1M"]);
    assert!(!printed.contains("verification failed"), "{printed}");
    assert_eq!(again.counters().bytes_written, 0);
}

#[test]
fn a_forced_write_survives_by_itself() {
    let mut stick = Stick::plug_in("volatile:keep=0", &[]);
    // Without writeback QEMU sends each write with FUA.
    let mut client = stick.client(&[]);
    tell(&mut client, &["write -P 5 8k 4k"]);
    stick.wait_until("a write", |counters| counters.bytes_written == 4096);
    stick.control.power_off().unwrap();
    assert_eq!(stick.medium()[8192..12_288], [5; 4096]);
    assert_eq!(stick.counters().fua_writes, 1);
    tell(&mut client, &["quit"]);
    client.wait_with_output().unwrap();
}

#[test]
fn a_stick_that_dies_answers_with_errors() {
    let mut stick = Stick::plug_in("dies:at=1M,wbps=100e6", &[]);
    let printed = stick.run(
        &["-t", "writeback"],
        &["write 0 1M", "write 1M 4k", "read 0 4k", "flush"],
    );
    assert!(printed.contains("wrote 1048576/1048576"), "{printed}");
    assert!(
        printed.contains("write failed: Input/output error"),
        "{printed}"
    );
    assert!(
        printed.contains("read failed: Input/output error"),
        "{printed}"
    );
    let counters = stick.counters();
    assert!(counters.died);
    assert_eq!(counters.bytes_written, M as u64);
}

#[test]
fn a_write_protected_stick_takes_nothing() {
    let stick = Stick::plug_in("even", &["readonly=1"]);
    let printed = stick.run(&["-r"], &["read -P 0 0 4k"]);
    assert!(printed.contains("read 4096/4096"), "{printed}");
    let mut client = stick.client(&["-t", "writeback"]);
    tell(&mut client, &["write 0 4k"]);
    client.wait_with_output().unwrap();
    assert_eq!(stick.medium(), vec![0; 16 * M]);
}

#[test]
fn figures_are_there_while_a_request_takes_long() {
    // A write that would take a quarter of an hour.
    let mut stick = Stick::plug_in("even:wbps=1000", &[]);
    let mut client = stick.client(&["-t", "writeback"]);
    tell(&mut client, &["write 0 1M"]);
    stick.wait_until("the request", |counters| counters.write_requests == 1);
    assert_eq!(stick.counters().bytes_written, 0);
    stick.control.power_off().unwrap();
    tell(&mut client, &["quit"]);
    let output = client.wait_with_output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(
        printed.contains("write failed: Input/output error"),
        "{printed}"
    );
}

#[test]
fn a_fake_stick_claims_a_gibibyte_and_wraps_round_after_a_quarter() {
    let mut stick = Stick::plug_in("fake:wbps=1e9,rbps=1e9", &[]);
    let printed = stick.run(
        &["-t", "writeback"],
        &[
            "length",
            "write -P 1 0 1M",
            "write -P 2 255M 2M",
            "read -P 2 0 1M",
            "read -P 2 1023M 1M",
            "read -P 0 512M 4k",
        ],
    );
    assert!(printed.contains("1 GiB"), "{printed}");
    assert_eq!(
        printed.matches("verification failed").count(),
        1,
        "{printed}"
    );
    let medium = stick.medium();
    assert_eq!(medium.len(), 256 * M);
    assert_eq!(medium[..M], [2; M]);
    assert_eq!(medium[255 * M..], [2; M]);
    let counters = stick.counters();
    assert_eq!(counters.size, 1 << 30);
    assert_eq!(counters.bytes_written, 3 * M as u64);
    assert_eq!(counters.on_medium_bytes, 2 * M as u64);
}

#[test]
fn a_fake_stick_may_also_drop_what_is_beyond() {
    let stick = Stick::plug_in("fake:has=4M,how=drop", &["size=16M"]);
    let printed = stick.run(
        &["-t", "writeback"],
        &[
            "length",
            "write -P 3 3M 2M",
            "read -P 3 3M 1M",
            "read -P 0 4M 1M",
            "read -P 0 0 1M",
        ],
    );
    assert!(printed.contains("16 MiB"), "{printed}");
    assert!(printed.contains("wrote 2097152/2097152"), "{printed}");
    assert!(!printed.contains("verification failed"), "{printed}");
    assert_eq!(stick.medium().len(), 4 * M);
}

#[test]
fn a_fake_stick_keeps_to_its_profile_where_that_says_what_it_claims() {
    let stick = Stick::plug_in("fake:has=4M,claims=8M", &["size=16M"]);
    let printed = stick.run(&[], &["length"]);
    assert!(printed.contains("8 MiB"), "{printed}");
}

#[test]
fn what_touches_a_bad_range_fails_and_nothing_else() {
    for (op, reads, writes) in [
        ("read", false, true),
        ("write", true, false),
        ("both", false, false),
    ] {
        let mut stick = Stick::plug_in(&format!("bad:range=1M-1028K,op={op},wbps=1e9"), &[]);
        let printed = stick.run(
            &["-t", "writeback"],
            &[
                "write -P 4 0 1M",
                "write -P 4 1028K 1M",
                "read -P 4 0 1M",
                "read -P 4 1028K 4K",
            ],
        );
        assert!(!printed.contains("failed"), "{printed}");
        let error = "failed: Input/output error";
        let printed = stick.run(&["-t", "writeback"], &["write -P 5 1027K 2K"]);
        assert_eq!(printed.contains(error), !writes, "{op}: {printed}");
        let printed = stick.run(&["-t", "writeback"], &["read 1020K 8K"]);
        assert_eq!(printed.contains(error), !reads, "{op}: {printed}");
        // Nothing arrives of a write that fails.
        let expected = if writes { 5 } else { 0 };
        assert_eq!(stick.medium()[M + 3072..M + 4096], [expected; 1024]);
        assert!(!stick.counters().died);
    }
}

#[test]
fn a_hanging_stick_holds_a_write_and_what_comes_after_it() {
    let mut stick = Stick::plug_in("hang:at=1M,for=2,wbps=1e9", &[]);
    let mut client = stick.client(&["-t", "writeback"]);
    tell(&mut client, &["write -P 6 0 512k"]);
    stick.wait_until("a write", |counters| counters.bytes_written == 512 << 10);
    let start = Instant::now();
    tell(&mut client, &["write -P 6 512k 512k"]);
    stick.wait_until("the held one", |counters| counters.write_requests == 2);
    let read = stick.run(&["-r"], &["read -P 6 0 1M"]);
    let held = start.elapsed();
    assert!(held >= Duration::from_secs(2), "{held:?}");
    assert!(read.contains("read 1048576/1048576"), "{read}");
    assert!(!read.contains("verification failed"), "{read}");
    tell(&mut client, &["quit"]);
    client.wait_with_output().unwrap();

    let again = Instant::now();
    let printed = stick.run(&["-t", "writeback"], &["write 0 2M"]);
    assert!(printed.contains("wrote 2097152/2097152"), "{printed}");
    assert!(again.elapsed() < held, "it was held a second time");
}

#[test]
fn power_can_be_taken_from_a_stick_that_hangs() {
    let mut stick = Stick::plug_in("hang:at=1,for=1000", &[]);
    let mut client = stick.client(&["-t", "writeback"]);
    tell(&mut client, &["write 0 4k"]);
    stick.wait_until("the held write", |counters| counters.write_requests == 1);
    stick.control.power_off().unwrap();
    tell(&mut client, &["quit"]);
    let output = client.wait_with_output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.contains("write failed"), "{printed}");
}

#[test]
fn a_slow_flush_is_waited_for() {
    let stick = Stick::plug_in("slow-flush:for=1", &[]);
    let start = Instant::now();
    stick.run(&["-t", "writeback"], &["write 0 4k", "flush"]);
    assert!(start.elapsed() >= Duration::from_secs(1));
}

/// What the lab passes with such a profile.
const LARGE_SECTORS: [&str; 2] = ["--filter=blocksize-policy", "blocksize-minimum=4096"];

#[test]
fn large_sectors_are_told_and_nothing_smaller_arrives() {
    let mut stick = Stick::plug_in("4kn", &LARGE_SECTORS);
    // QEMU knows: it reads the whole sector and writes it back.
    let printed = stick.run(
        &["-t", "writeback"],
        &[
            "write -P 7 4k 512",
            "read -P 7 4k 512",
            "read -P 0 4608 3584",
        ],
    );
    assert!(printed.contains("wrote 512/512"), "{printed}");
    assert!(!printed.contains("failed"), "{printed}");
    assert_eq!(stick.control.stats().unwrap().written, [(4096, 4096)]);

    let untold = Stick::plug_in("4kn", &[]);
    let printed = untold.run(&["-t", "writeback"], &["write 0 512", "write 4k 4k"]);
    assert!(printed.contains("write failed"), "{printed}");
    assert!(printed.contains("wrote 4096/4096"), "{printed}");
}

#[test]
fn wrong_parameters_are_refused_with_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let medium = format!("file={}", folder.path().join("medium").display());
    let small = folder.path().join("small");
    fs::write(&small, [0; 1024]).unwrap();
    let small = format!("file={}", small.display());
    for (parameters, sentence) in [
        (
            vec![&*medium, "size=1M", "profile=evne"],
            "There is no stick profile \"evne\".",
        ),
        (
            vec![&*medium, "size=1M", "profile=even:speed=1"],
            "Stick profiles have no parameter \"speed\".",
        ),
        (vec![&*medium, "size=1000"], "\"1000\" is no size."),
        (vec![&*medium, "sise=1M"], "There is no parameter \"sise\"."),
        (vec![&*medium], "No such file or directory"),
        (
            vec![&*small, "size=1M"],
            "has 1024 bytes and not the 1048576",
        ),
        (vec!["size=1M"], "The parameter file is missing."),
        (
            vec![&*small, "profile=fake"],
            "has 1024 bytes and not the 268435456",
        ),
        (
            vec![&*medium, "profile=fake:has=2M", "size=1M"],
            "The stick would claim 1048576 bytes and have more, 2097152.",
        ),
        (
            vec![&*small, "profile=4kn"],
            "1024 bytes are no whole sectors of 4096.",
        ),
    ] {
        let mut command = Command::new("nbdkit");
        // Where they are taken it ends at once, and well.
        command.args(["--unix=-", "--run=true"]).arg(plugin());
        command.args(&parameters).stderr(Stdio::piped());
        let output = start(command).wait_with_output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(
            !output.status.success() && told.contains(sentence),
            "{parameters:?}: {told}"
        );
    }
}
