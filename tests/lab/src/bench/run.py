"""Runs one tool and prints as JSON how it went, until the stick may be pulled out.

The tool's own lines go to `events` as they come, so that whoever reads there knows when.
"""
import fcntl, json, os, pty, resource, select, subprocess, sys, termios, threading, time, struct

SAVER = r"""
import os, time, sys
path = sys.argv[1]
out = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
while True:
    begin = time.monotonic()
    os.pwrite(out, os.urandom(4096), 0)
    os.fsync(out)
    print((time.monotonic() - begin) * 1000, flush=True)
    time.sleep(0.004)
"""


def dirty():
    with open("/proc/meminfo") as about:
        lines = dict(line.split(":") for line in about)
    return sum(int(lines[name].split()[0]) * 1024 for name in ("Dirty", "Writeback"))


def mounted(part):
    found = subprocess.run(["findmnt", "-n", "-o", "TARGET", part], capture_output=True, text=True)
    return found.stdout.strip().splitlines()[0] if found.stdout.strip() else None


def size_of(path):
    total = 0
    for folder, _, names in os.walk(path) if os.path.isdir(path) else [("", [], [path])]:
        for name in names:
            try:
                total += os.stat(os.path.join(folder, name)).st_size
            except FileNotFoundError:
                pass
    return total


class Watch:
    """What happens meanwhile: unwritten memory, and what a tool without progress has accepted."""

    def __init__(self, tell, path):
        self.idle, self.peak, self.over = dirty(), 0, False
        self.thread = threading.Thread(target=self.look, args=(tell, path))
        self.thread.start()

    def look(self, tell, path):
        turn = 0
        while not self.over:
            self.peak = max(self.peak, dirty())
            turn += 1
            if path and turn % 2 == 0:
                tell(str(size_of(path)))
            time.sleep(0.05)

    def end(self):
        self.over = True
        self.thread.join()
        return max(0, self.peak - self.idle)


def main():
    job = json.loads(sys.argv[1])
    device, part = job["device"], job["device"] + "1"
    folder = None
    if job["mount"]:
        for _ in range(100):
            folder = mounted(part)
            if folder:
                break
            subprocess.run(["udisksctl", "mount", "-b", part], capture_output=True)
            time.sleep(0.1)
        assert folder, "it could not be mounted"
    else:
        subprocess.run(["sh", "-c", f"umount {device}?* 2>/dev/null"])
    subprocess.run(["sync"])
    with open("/proc/sys/vm/drop_caches", "w") as drop:
        drop.write("1")
    # How long the system needs to read a program in says nothing about sticks.
    for program in job["programs"]:
        subprocess.run([program, "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    events = open(job["events"], "w", buffering=1) if job["events"] else None

    def tell(line):
        if events:
            events.write(line + "\n")

    command = [word.replace("{folder}", folder or "") for word in job["command"]]
    state = "/run/steady-bench-state"
    subprocess.run(["rm", "-rf", state])
    environment = dict(os.environ, XDG_STATE_HOME=state, LC_ALL="C.UTF-8")
    saver = subprocess.Popen(
        [sys.executable, "-c", SAVER, "/var/tmp/steady-neighbour"],
        stdout=open("/run/steady-bench-saves", "w"),
    )
    time.sleep(0.5)
    watched = job["target"].replace("{folder}", folder or "") if job["target"] else None
    watch = Watch(tell, watched)
    skip = os.path.getsize("/run/steady-bench-saves")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # A person has a terminal, and some tools show nothing elsewhere.
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 200, 0, 0))
    begin = time.monotonic()
    tool = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    said, pending = b"", b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:
            break
        if not piece:
            break
        said = (said + piece)[-4000:]
        *lines, pending = (pending + piece).replace(b"\r", b"\n").split(b"\n")
        for line in lines:
            if line.strip():
                tell(line.decode(errors="replace"))
    _, status, usage = os.wait4(tool.pid, 0)
    tool.returncode = os.waitstatus_to_exitcode(status)
    left = time.monotonic()
    if folder and mounted(part):
        while subprocess.run(["umount", part], capture_output=True).returncode:
            time.sleep(0.02)
    # Steady has switched it off, which flushes it.
    if os.path.exists(device):
        out = os.open(device, os.O_RDWR)
        os.fsync(out)
        os.close(out)
    seconds = time.monotonic() - begin
    peak = watch.end()
    saver.kill()
    saver.wait()
    with open("/run/steady-bench-saves") as saves:
        saves.seek(skip)
        saves = [float(line) for line in saves.read().split("\n")[:-1] if line]
    print(json.dumps({
        "code": tool.returncode,
        "said": said.decode(errors="replace"),
        "seconds": seconds,
        "tool_seconds": left - begin,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "peak_dirty": peak,
        "saves_ms": saves,
    }))


main()
