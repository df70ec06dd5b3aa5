#!/usr/bin/env python3
"""Sees and works the programs on the desktop through the accessibility bus.

Requests come in over the virtio port as JSON lines, `{"id": 7, "do": "click", "role": "button",
"name": "Copy", "limit": 60}`. Each is acknowledged at once by `{"id": 7}` and answered by one line
with the same id that holds either `value` or `error`; one that comes again because its
acknowledgement did not arrive is done once. A request whose asker has gone is given up. `watch` goes on in the background:
changes leave as JSON lines through the pipe of the events port.

One thread: AT-SPI is not made for more. While a request waits for an element, the main context is
pumped, so that what is watched is told in time.
"""

import json
import os
import re
import select
import sys
import time
import traceback

import pointer
import screen
from pointer import run
from screen import ROLES, Atspi, GLib, Late, Unmet, describe, matcher, role_of, sensitive, walk

PORT = "/dev/virtio-ports/steady.driver"
EVENTS = "/run/steady-lab/events"
WATCHED = (
    "object:property-change:accessible-name",
    "object:property-change:accessible-value",
    "object:text-changed",
)
# How long a program may take to answer a call, and any call after it has started, in milliseconds.
# With less, elements are passed over as if they had gone when the machine has other things to do.
PATIENCE, STARTING = 8000, 15000
# What was waited for does not come any more when nothing has changed for so long, in seconds. On a
# quiet machine a window takes 6 s to come, on one with ten times the work it can do 45 s.
STILLNESS = 150
# How long one who asks may seem to be away.
GRACE = 20
# The most lines of a screen that are told with what is missing on it.
MOST_LINES = 150


class Left(Exception):
    """Nobody waits for the answer any more."""


class Driver:
    def __init__(self):
        self.context = GLib.MainContext.default()
        self.watches = []
        self.told = {}
        self.listener = Atspi.EventListener.new(self.changed)
        self.events = os.open(EVENTS, os.O_RDWR | os.O_NONBLOCK)
        self.port = os.open(PORT, os.O_RDWR | os.O_NONBLOCK)
        self.poll = select.poll()
        self.poll.register(self.port, select.POLLIN)
        self.alone_since = None
        self.waiting = b""
        self.last_id = self.last_reply = None

    def pump(self, seconds):
        """Handles what comes from the accessibility bus for so long."""
        over = []
        GLib.timeout_add(int(seconds * 1000), over.append, True)
        while not over:
            self.context.iteration(True)

    def look_at_asker(self):
        """One who has gone, or asks something else, does not wait any more."""
        events = dict(self.poll.poll(0)).get(self.port, 0)
        if not events:
            self.alone_since = None
            return
        if events & select.POLLIN and self.asked_else():
            raise Left
        if events & select.POLLHUP:
            # That somebody is there may be known a moment later than what they asked.
            self.alone_since = self.alone_since or time.monotonic()
            if time.monotonic() - self.alone_since > GRACE:
                raise Left

    # Finding

    def find(self, request, must=lambda _: True, end=float("inf"), seen=None):
        """The first element that is wanted. What is passed over goes into `seen`."""
        role, matches = ROLES.get(request["role"], request["role"]), matcher(request["name"])
        in_time = screen.until(end)

        def go_on():
            in_time()
            self.look_at_asker()

        for _, element in walk(go_on):
            try:
                its_role = role_of(element)
                # Names cost a call each.
                name = element.get_name() if its_role == role else ""
                if its_role == role and matches(name) and must(element):
                    return element
            except GLib.Error:
                continue
            if seen is not None:
                seen.append((its_role, name))
        return None

    def await_element(self, request, must=lambda _: True):
        begun = time.monotonic()
        end, changed, before, looks = begun + request["limit"], begun, None, 0
        while True:
            looking, seen = time.monotonic(), []
            try:
                element = self.find(request, must, end, seen)
            except Late:
                element, seen = None, before or seen
            if element is not None:
                return element
            now, looks = time.monotonic(), looks + 1
            if seen != before:
                before, changed = seen, looking
            if now > end or now - changed > STILLNESS:
                waited = f"within {now - begun:.0f} s ({looks} looks, the last change {now - changed:.0f} s ago)"
                raise Unmet(self.missing(request, seen, waited))
            # Looking costs the looked-at program time: at most half of it.
            self.pump(max(0.2, now - looking))

    def missing(self, request, seen, waited):
        """What to tell of an element that did not come, or not as it has to be."""
        role, name = ROLES.get(request["role"], request["role"]), request["name"]
        alike = [json.dumps(other, ensure_ascii=False) for its_role, other in seen if its_role == role]
        there = any(its_role == role and matcher(name)(other) for its_role, other in seen)
        lines = screen.tree().splitlines()
        if len(lines) > MOST_LINES:
            lines[MOST_LINES:] = [f"... and {len(lines) - MOST_LINES} lines more"]
        return "\n".join(
            [
                f"{request['role']} {name!r} {'is there, but insensitive' if there else 'did not appear'} {waited}.",
                f"Of that role there {'was ' + ', '.join(alike) if alike else 'was nothing'}. On the screen:",
                *lines,
            ]
        )

    # Requests

    def do_ping(self, _):
        return "here"

    def do_tree(self, _):
        return screen.tree()

    def do_wait(self, request):
        return describe(self.await_element(request))

    def do_read(self, request):
        seen = []
        element = self.find(request, end=time.monotonic() + request["limit"], seen=seen)
        if element is None:
            raise Unmet(self.missing(request, seen, "at one look"))
        return describe(element)

    def do_click(self, request):
        element = self.await_element(request, sensitive)
        action = element.get_action_iface()
        if action is not None and action.get_n_actions() > 0:
            # Not do_action's result: a button that closes its own window never answers.
            Atspi.set_timeout(1000, STARTING)
            try:
                action.do_action(0)
            except GLib.Error as error:
                print(f"click: {error.message}", file=sys.stderr)
            Atspi.set_timeout(PATIENCE, STARTING)
            return "action"
        # Elements without an action get a real click in their middle.
        pointer.click(element)
        return "pointer"

    def do_type(self, request):
        element = self.await_element(request, sensitive)
        editable = element.get_editable_text_iface()
        if editable is not None and editable.set_text_contents(request["text"]):
            return "text"
        element.get_component_iface().grab_focus()
        run("xdotool", "type", "--clearmodifiers", "--delay", "30", request["text"])
        return "keys"

    def do_key(self, request):
        pointer.await_focus()
        run("xdotool", "key", "--clearmodifiers", *request["keys"].split())

    def do_focus(self, _):
        return screen.focus()

    def do_nameless(self, _):
        return screen.nameless()

    def do_drag(self, request):
        absent = [path for path in request["files"] if not os.path.lexists(path)]
        if absent:
            raise Unmet(f"There is no {', '.join(absent)} in the guest.")
        element = self.await_element(request)
        window = pointer.window_with(element)
        run("xdotool", "windowactivate", "--sync", window)
        drag = pointer.Drag(request["files"], self.pump)
        try:
            drag.onto(*pointer.middle_of(element, window))
        finally:
            drag.end()

    def do_size(self, request):
        window = pointer.active_window()
        left, right, top, bottom = pointer.shadow_of(window)
        width, height = request["width"] + left + right, request["height"] + top + bottom
        run("xdotool", "windowsize", "--sync", window, str(width), str(height))

    def do_shot(self, request):
        window = pointer.active_window() if request.get("window") else "root"
        run("import", "-window", window, "png:" + request["path"])

    def do_watch(self, request):
        if not self.watches:
            for event in WATCHED:
                self.listener.register(event)
        role = ROLES.get(request["role"], request["role"])
        self.watches.append((role, request["name"]))
        # What is there already is told at once.
        for _, element in walk(self.look_at_asker):
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
            line = {
                "role": role,
                "name": name,
                "text": screen.text_of(element),
                "value": screen.value_of(element),
            }
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
        try:
            request = json.loads(line)
            reply = {"id": request["id"]}
        except (ValueError, KeyError, TypeError):
            # What a call that was broken off has left.
            return b""
        self.alone_since = None
        self.send(json.dumps(reply).encode() + b"\n")
        if request["id"] == self.last_id:
            return self.last_reply
        self.last_id, self.last_reply = request["id"], b""
        self.last_reply = self.fulfil(request, reply)
        return self.last_reply

    def fulfil(self, request, reply):
        try:
            reply["value"] = getattr(self, "do_" + request["do"])(request)
        except Left:
            reply["error"] = f"{request['do']}: nobody waited for it any more"
        except Unmet as unmet:
            reply["error"] = str(unmet)
        except Late:
            reply["error"] = f"{request['do']}: looking at the screen took more than {request['limit']} s"
        except GLib.Error as error:
            reply["error"] = f"{request['do']}: {error.message}"
        except Exception:  # A fault of the driver's own must not end the session.
            reply["error"] = traceback.format_exc()
        return json.dumps(reply, ensure_ascii=False).encode() + b"\n"

    def serve(self):
        while True:
            *lines, self.waiting = self.waiting.split(b"\n")
            # One asks after the other: whoever asked before the last one has gone.
            for line in list(filter(None, lines))[-1:]:
                self.send(self.answer(line))
            if self.take() is not True:
                # Nobody is there (or somebody so new that it is not known yet), or they think.
                self.pump(0.02 if self.watches or self.poll.poll(0) == [] else 0.1)

    def take(self):
        """Takes in what has arrived, and tells whether anything has."""
        try:
            read = os.read(self.port, 65536)
        except BlockingIOError:
            return False
        self.waiting += read
        return bool(read)

    def asked_else(self):
        """Whether another request has arrived; the present one, sent again, is dropped."""
        self.take()
        *lines, rest = self.waiting.split(b"\n")
        again = f'"id":{self.last_id}'.encode()
        others = [line for line in lines if line and again not in line]
        self.waiting = b"\n".join([*others, rest])
        return bool(others)

    def send(self, reply):
        while reply:
            try:
                reply = reply[os.write(self.port, reply) :]
            except BlockingIOError:
                try:
                    self.look_at_asker()
                except Left:
                    return
                self.pump(0.02)


def matching_prefix(name, wanted):
    if len(wanted) > 1 and wanted[0] == wanted[-1] == "/":
        return re.search(wanted[1:-1], name)
    return name.startswith(wanted)


if __name__ == "__main__":
    Atspi.init()
    Atspi.set_timeout(PATIENCE, STARTING)
    Driver().serve()
