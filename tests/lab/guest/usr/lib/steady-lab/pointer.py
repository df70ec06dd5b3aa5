"""Windows, keys and pointer of the display."""

import re
import subprocess
import time

import screen
from screen import Atspi, GLib, Unmet

# What waits for a window (`--sync`) may wait in vain; five times what anything takes.
LIMIT = 30


def run(*command):
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=LIMIT).stdout
    except subprocess.TimeoutExpired:
        raise Unmet(f"{' '.join(command)}: not done within {LIMIT} s") from None
    except subprocess.CalledProcessError as failed:
        raise Unmet(f"{' '.join(command)}: {failed.stderr.strip()}") from None


def properties(window, *names):
    """A window's properties as xprop writes them, without their names."""
    which = ["-root"] if window is None else ["-id", window]
    lines = run("xprop", *which, *names).splitlines()
    return [re.split(r"[=:#] *", line, maxsplit=1)[-1].removeprefix("window id # ") for line in lines]


def active_window():
    """The window that gets the keys."""
    return str(int(properties(None, "_NET_ACTIVE_WINDOW")[0].split()[-1], 16))


def windows():
    """The programs' windows, the topmost first."""
    found = re.findall(r"0x[0-9a-f]+", properties(None, "_NET_CLIENT_LIST_STACKING")[0])
    return [str(int(window, 16)) for window in reversed(found)]


def await_focus():
    """A window that has just come up gets the keys a moment later."""
    end = time.monotonic() + LIMIT
    while time.monotonic() < end and windows()[:1] not in ([], [active_window()]):
        time.sleep(0.1)


def shadow_of(window):
    """The widths of a window's shadow: left, right, top, bottom."""
    widths = [int(width) for width in re.findall(r"\d+", properties(window, "_GTK_FRAME_EXTENTS")[0])]
    return widths if len(widths) == 4 else [0, 0, 0, 0]


def window_with(element):
    """The display's window that an element is in: of its program and title, else the active one."""
    top = screen.window_of(element)
    wanted = (str(top.get_process_id()), f'"{top.get_name()}"')
    titles = {window: tuple(properties(window, "_NET_WM_PID", "_NET_WM_NAME")) for window in windows()}
    for alike in (lambda told: told == wanted, lambda told: told[0] == wanted[0], lambda told: told[1] == wanted[1]):
        for window, told in titles.items():
            if alike(told):
                return window
    return active_window()


def middle_of(element, window):
    """Where on the screen an element's middle is."""
    box = element.get_component_iface().get_extents(Atspi.CoordType.WINDOW)
    place = dict(line.split("=") for line in run("xdotool", "getwindowgeometry", "--shell", window).split())
    left, _, top, _ = shadow_of(window)
    return int(place["X"]) + left + box.x + box.width // 2, int(place["Y"]) + top + box.y + box.height // 2


def click(element):
    x, y = middle_of(element, window_with(element))
    run("xdotool", "mousemove", str(x), str(y), "click", "1")


def move(start, end, steps=25):
    """Moves the pointer as a hand does, on a line."""
    commands = []
    for step in range(1, steps + 1):
        at = [str(a + (b - a) * step // steps) for a, b in zip(start, end)]
        commands += ["mousemove", *at, "sleep", "0.02"]
    run("xdotool", *commands)


class Drag:
    """Files that are dragged from a window of their own, in the corner that is farthest away."""

    SOURCE = "/usr/lib/steady-lab/drag-source.py"

    def __init__(self, files, pump):
        self.pump = pump
        self.source = subprocess.Popen([self.SOURCE, *files], stdout=subprocess.PIPE, bufsize=0)
        GLib.io_add_watch(self.source.stdout, GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, self.heard)
        self.said = []

    def heard(self, pipe, _):
        line = pipe.readline().decode().strip()
        self.said.append(line or "gone")
        return bool(line)

    def onto(self, x, y):
        """Drops the files at a point of the screen."""
        self.await_word("ready")
        window = run("xdotool", "search", "--sync", "--onlyvisible", "--name", "^Files to drag$").split()[-1]
        width, height = map(int, run("xdotool", "getdisplaygeometry").split())
        corner = 16 if x > width // 2 else width - 80, 16 if y > height // 2 else height - 80
        run("xdotool", "windowmove", "--sync", window, *map(str, corner), "windowraise", window)
        start = corner[0] + 32, corner[1] + 32
        run("xdotool", "mousemove", *map(str, start), "sleep", "0.2", "mousedown", "1", "sleep", "0.2")
        try:
            move(start, (x, y))
            # A hand trembles; what is under the pointer answers to each movement.
            move((x, y), (x + 3, y + 3), 3)
            self.await_word("accepted")
        finally:
            run("xdotool", "mouseup", "1")
        self.await_word("dropped")

    def await_word(self, word):
        end = time.monotonic() + LIMIT
        while True:
            failed = {"gone", "cancelled"} & set(self.said)
            if word in self.said and not failed:
                return
            if failed or time.monotonic() > end:
                raise Unmet(f"The files were not {word}: the drag was {', '.join(self.said) or 'never ready'}.")
            self.pump(0.02)

    def end(self):
        self.source.kill()
        self.source.wait()
