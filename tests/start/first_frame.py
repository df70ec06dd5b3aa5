"""first_frame.py RUNS NAME=COMMAND...: how long programs take until something of them is on the
screen, and the memory that they hold then.

Each is started RUNS times, in turns, on a display of its own whose pixels are looked at directly.
Prints JSON: for each name its seconds and its memory in bytes (its own, and its share of what it
has in common with others).
"""

import json
import mmap
import os
import shlex
import struct
import subprocess
import sys
import tempfile
import time

DISPLAY = ":7"
# Longer than any start.
LIMIT = 120


class Screen:
    """The pixels in the middle of where windows come up."""

    def __init__(self, folder):
        self.server = subprocess.Popen(
            ["Xvfb", DISPLAY, "-screen", "0", "800x800x24", "-nolisten", "tcp", "-noreset", "-fbdir", folder]
        )
        while not os.path.exists("/tmp/.X11-unix/X" + DISPLAY[1:]):
            time.sleep(0.1)
        with open(os.path.join(folder, "Xvfb_screen0"), "r+b") as file:
            self.pixels = mmap.mmap(file.fileno(), 0)
        header = struct.unpack(">25I", self.pixels[:100])
        begin, line, colours = header[0], header[12], header[19]
        self.places = [begin + 12 * colours + y * line + 4 * 40 for y in range(20, 400, 40)]
        self.empty = self.look()

    def look(self):
        return [self.pixels[place : place + 4 * 260] for place in self.places]

    def wait(self, is_there):
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            if is_there(self.look() != self.empty):
                return
            time.sleep(0.002)
        raise SystemExit("nothing has changed on the screen")


def memory(pid):
    kept = dict.fromkeys(("Pss", "Private_Dirty"), 0)
    with open(f"/proc/{pid}/smaps_rollup") as file:
        for line in file:
            name, _, rest = line.partition(":")
            if name in kept:
                kept[name] = int(rest.split()[0]) * 1024
    return kept


def start(screen, command):
    environment = dict(os.environ, DISPLAY=DISPLAY, GSK_RENDERER="cairo", GDK_BACKEND="x11")
    begun = time.monotonic()
    program = subprocess.Popen(shlex.split(command), env=environment)
    screen.wait(lambda changed: changed)
    seconds = time.monotonic() - begun
    # What it does right after its first frame belongs to its memory.
    time.sleep(3)
    held = memory(program.pid)
    program.terminate()
    program.wait()
    screen.wait(lambda changed: not changed)
    time.sleep(1)
    return seconds, held


def main(runs, *programs):
    commands = dict(program.split("=", 1) for program in programs)
    told = {name: {"seconds": [], "pss": [], "own": []} for name in commands}
    with tempfile.TemporaryDirectory() as folder:
        screen = Screen(folder)
        # The first run of each reads it from the disk.
        for run in range(int(runs) + 1):
            for name, command in commands.items():
                seconds, held = start(screen, command)
                if run > 0:
                    told[name]["seconds"].append(round(seconds, 3))
                    told[name]["pss"].append(held["Pss"])
                    told[name]["own"].append(held["Private_Dirty"])
        screen.server.terminate()
        screen.server.wait()
    print(json.dumps(told))


main(*sys.argv[1:])
