#!/usr/bin/env python3
"""Sees and works the programs on the desktop through the accessibility bus.

Requests come in over the virtio port as JSON lines, `{"id": 7, "do": "click", "role": "button",
"name": "Copy", "limit": 60}`, and each is answered by one line with the same id that holds either
`value` or `error`. `watch` goes on in the background: changes leave as JSON lines through the pipe
of the events port.

One thread: AT-SPI is not made for more. While a request waits for an element, the main context is
pumped, so that what is watched is told in time.
"""

import json
import os
import re
import subprocess
import sys
import time
import traceback

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

PORT = "/dev/virtio-ports/steady.driver"
EVENTS = "/run/steady-lab/events"
# Names of the same role in different releases of AT-SPI.
ROLES = {"push button": "button", "page tab": "tab", "entry": "text"}
# Containers that say nothing themselves are left out of trees.
SILENT = {"panel", "filler", "generic", "group", "grouping", "viewport", "scroll pane", "section", "layered pane"}
WATCHED = (
    "object:property-change:accessible-name",
    "object:property-change:accessible-value",
    "object:text-changed",
)
TREE_LINES = 60


class Unmet(Exception):
    """A request that cannot be fulfilled, with the reason for people."""


def role_of(element):
    name = element.get_role_name()
    return ROLES.get(name, name)


def matcher(name):
    """An exact name, or a regular expression between slashes; an empty name matches any."""
    if not name:
        return lambda _: True
    if len(name) > 1 and name[0] == name[-1] == "/":
        return re.compile(name[1:-1]).search
    return lambda other: other == name


def text_of(element):
    text = element.get_text_iface()
    # By the interface's own name: an element has an older method of the same name.
    return Atspi.Text.get_text(text, 0, Atspi.Text.get_character_count(text)) if text else None


def value_of(element):
    value = element.get_value_iface()
    return value.get_current_value() if value else None


def describe(element):
    states = element.get_state_set()
    named = {
        "sensitive": Atspi.StateType.SENSITIVE,
        "focused": Atspi.StateType.FOCUSED,
        "checked": Atspi.StateType.CHECKED,
        "selected": Atspi.StateType.SELECTED,
    }
    return {
        "role": role_of(element),
        "name": element.get_name(),
        "description": element.get_description(),
        "text": text_of(element),
        "value": value_of(element),
        "states": [name for name, state in named.items() if states.contains(state)],
    }


def showing(element):
    return element.get_state_set().contains(Atspi.StateType.SHOWING)


def sensitive(element):
    return element.get_state_set().contains(Atspi.StateType.SENSITIVE)


def walk(element, depth=0):
    """What is on the screen, parents first. Elements may go away meanwhile; those are passed over."""
    try:
        # Programs themselves are never "showing", only their windows are.
        if depth > 1 and not showing(element):
            return
        yield depth, element
        children = [element.get_child_at_index(i) for i in range(element.get_child_count())]
    except GLib.Error:
        return
    for child in children:
        if child is not None:
            yield from walk(child, depth + 1)


def tree(limit=None):
    lines = []
    for depth, element in walk(Atspi.get_desktop(0)):
        try:
            role, name = role_of(element), element.get_name()
            value, text = value_of(element), text_of(element)
            if depth == 0 or (role in SILENT and not name):
                continue
            line = f"{'  ' * (depth - 1)}{role} {json.dumps(name, ensure_ascii=False)}"
            if text and text != name:
                line += f" text={json.dumps(text, ensure_ascii=False)}"
            if value is not None:
                line += f" value={value:g}"
            if depth > 1 and not sensitive(element):
                line += " insensitive"
        except GLib.Error:
            continue
        lines.append(line)
    if limit and len(lines) > limit:
        lines[limit:] = [f"... and {len(lines) - limit} more"]
    return "\n".join(lines)


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Driver:
    def __init__(self):
        self.context = GLib.MainContext.default()
        self.watches = []
        self.told = {}
        self.listener = Atspi.EventListener.new(self.changed)
        self.events = os.open(EVENTS, os.O_RDWR | os.O_NONBLOCK)

    def pump(self, seconds):
        """Handles what comes from the accessibility bus for so long."""
        over = []
        GLib.timeout_add(int(seconds * 1000), over.append, True)
        while not over:
            self.context.iteration(True)

    # Finding

    def find(self, request, must=lambda _: True):
        role, matches = ROLES.get(request["role"], request["role"]), matcher(request["name"])
        for _, element in walk(Atspi.get_desktop(0)):
            try:
                if role_of(element) == role and matches(element.get_name()) and must(element):
                    return element
            except GLib.Error:
                continue
        return None

    def await_element(self, request, must=lambda _: True):
        end = time.monotonic() + request["limit"]
        while True:
            begun = time.monotonic()
            element = self.find(request, must)
            if element is not None:
                return element
            if time.monotonic() > end:
                there = "is there, but insensitive" if self.find(request) else "did not appear"
                raise Unmet(
                    f"{request['role']} {request['name']!r} {there} within {request['limit']} s. "
                    f"On the screen:\n{tree(TREE_LINES)}"
                )
            # Looking costs the looked-at program time: at most half of it.
            self.pump(max(0.2, time.monotonic() - begun))

    # Requests

    def do_ping(self, _):
        return "here"

    def do_tree(self, _):
        return tree()

    def do_wait(self, request):
        return describe(self.await_element(request))

    def do_read(self, request):
        element = self.find(request)
        if element is None:
            raise Unmet(f"There is no {request['role']} {request['name']!r}. On the screen:\n{tree(TREE_LINES)}")
        return describe(element)

    def do_click(self, request):
        element = self.await_element(request, sensitive)
        action = element.get_action_iface()
        if action is not None and action.get_n_actions() > 0:
            # Not do_action's result: a button that closes its own window never answers.
            try:
                action.do_action(0)
            except GLib.Error as error:
                print(f"click: {error.message}", file=sys.stderr)
            return "action"
        self.click_with_pointer(element)
        return "pointer"

    def click_with_pointer(self, element):
        """Elements without an action get a real click in their middle."""
        box = element.get_component_iface().get_extents(Atspi.CoordType.WINDOW)
        window, frame = active_window()
        x, y = box.x + box.width // 2 + frame[0], box.y + box.height // 2 + frame[2]
        run("xdotool", "mousemove", "--sync", "--window", window, str(x), str(y), "click", "1")

    def do_type(self, request):
        element = self.await_element(request, sensitive)
        editable = element.get_editable_text_iface()
        if editable is not None and editable.set_text_contents(request["text"]):
            return "text"
        element.get_component_iface().grab_focus()
        run("xdotool", "type", "--clearmodifiers", "--delay", "30", request["text"])
        return "keys"

    def do_key(self, request):
        run("xdotool", "key", "--clearmodifiers", *request["keys"].split())

    def do_size(self, request):
        window, (left, right, top, bottom) = active_window()
        width, height = request["width"] + left + right, request["height"] + top + bottom
        run("xdotool", "windowsize", "--sync", window, str(width), str(height))

    def do_shot(self, request):
        window = active_window()[0] if request.get("window") else "root"
        run("import", "-window", window, "png:" + request["path"])

    def do_watch(self, request):
        if not self.watches:
            for event in WATCHED:
                self.listener.register(event)
        role = ROLES.get(request["role"], request["role"])
        self.watches.append((role, request["name"]))
        # What is there already is told at once.
        for _, element in walk(Atspi.get_desktop(0)):
            self.tell(element)

    def do_unwatch(self, _):
        for event in WATCHED:
            self.listener.deregister(event)
        self.watches.clear()
        self.told.clear()

    # Watching

    def changed(self, event):
        self.tell(event.source)

    def tell(self, element):
        try:
            role, name = role_of(element), element.get_name() or ""
            if not any(role == r and matching_prefix(name, n) for r, n in self.watches):
                return
            line = {"role": role, "name": name, "text": text_of(element), "value": value_of(element)}
        except GLib.Error:
            return
        if self.told.get(element) == line:
            return
        self.told[element] = line
        try:
            os.write(self.events, (json.dumps(line, ensure_ascii=False) + "\n").encode())
        except BlockingIOError:
            print("the events port is full", file=sys.stderr)

    # Serving

    def answer(self, line):
        request = json.loads(line)
        reply = {"id": request["id"]}
        try:
            reply["value"] = getattr(self, "do_" + request["do"])(request)
        except Unmet as unmet:
            reply["error"] = str(unmet)
        except subprocess.CalledProcessError as failed:
            reply["error"] = f"{' '.join(failed.cmd)}: {failed.stderr.strip()}"
        except GLib.Error as error:
            reply["error"] = f"{request['do']}: {error.message}"
        except Exception:  # A fault of the driver's own must not end the session.
            reply["error"] = traceback.format_exc()
        return json.dumps(reply, ensure_ascii=False).encode() + b"\n"

    def serve(self):
        port = os.open(PORT, os.O_RDWR | os.O_NONBLOCK)
        waiting = b""
        while True:
            try:
                read = os.read(port, 65536)
            except BlockingIOError:
                # A host is there and thinks.
                self.pump(0.02)
                continue
            if not read:
                # Nobody is there. What was begun will not be ended.
                waiting = b""
                self.pump(0.02 if self.watches else 0.1)
                continue
            *lines, waiting = (waiting + read).split(b"\n")
            for line in filter(None, lines):
                self.send(port, self.answer(line))

    def send(self, port, reply):
        while reply:
            try:
                reply = reply[os.write(port, reply) :]
            except BlockingIOError:
                self.pump(0.02)


def matching_prefix(name, wanted):
    if len(wanted) > 1 and wanted[0] == wanted[-1] == "/":
        return re.search(wanted[1:-1], name)
    return name.startswith(wanted)


def active_window():
    """The active window and the widths of its shadow: left, right, top, bottom."""
    window = run("xdotool", "getactivewindow").strip()
    extents = run("xprop", "-id", window, "_GTK_FRAME_EXTENTS")
    numbers = [int(n) for n in re.findall(r"\d+", extents.partition("=")[2])]
    return window, numbers if len(numbers) == 4 else [0, 0, 0, 0]


if __name__ == "__main__":
    Atspi.init()
    Driver().serve()
