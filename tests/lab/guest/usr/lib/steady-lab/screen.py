"""What the accessibility bus tells of the programs on the screen."""

import json
import re
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

# Names of the same role in different releases of AT-SPI.
ROLES = {"push button": "button", "page tab": "tab", "entry": "text"}
# Containers that say nothing themselves are left out of trees.
SILENT = {"panel", "filler", "generic", "group", "grouping", "viewport", "scroll pane", "section", "layered pane"}
# What only holds others, and passes the focus on to them.
HOLDERS = {"frame", "dialog", "window", "list", "scroll bar"}
IMAGES = {"image", "icon"}
# Of a longer list of things no more are looked at: each costs several calls, and a folder in an
# older toolkit's table has all its rows there, seen or not.
MOST_CHILDREN = 300
DEEPEST = 80
# Writing down a screen takes seconds.
TREE_LIMIT = 30


class Unmet(Exception):
    """A request that cannot be fulfilled, with the reason for people."""


class Late(Exception):
    """Looking took too long."""


def until(end):
    """For `walk`: gives up at that moment."""

    def go_on():
        if time.monotonic() > end:
            raise Late

    return go_on


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


def showing(element):
    return element.get_state_set().contains(Atspi.StateType.SHOWING)


def sensitive(element):
    return element.get_state_set().contains(Atspi.StateType.SENSITIVE)


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


def window_of(element):
    """The element's window, dialog or the like."""
    parent = element.get_parent()
    while parent is not None and role_of(parent) != "application":
        element, parent = parent, parent.get_parent()
    return element


def walk(go_on, element=None, depth=0):
    """What is on the screen, parents first. Elements may go away meanwhile; those are passed over.
    `go_on` is called all the while and ends it by an exception."""
    go_on()
    try:
        element = element or Atspi.get_desktop(0)
        # Programs themselves are never "showing", only their windows are.
        if depth > DEEPEST or depth > 1 and not showing(element):
            return
        yield depth, element
        count = min(element.get_child_count(), MOST_CHILDREN)
    except GLib.Error:
        return
    for index in range(count):
        try:
            child = element.get_child_at_index(index)
        except GLib.Error:
            continue
        if child is not None:
            yield from walk(go_on, child, depth + 1)


def of_active_window():
    """What is in the window that gets the keys."""
    desktop = Atspi.get_desktop(0)
    for index in range(desktop.get_child_count()):
        program = desktop.get_child_at_index(index)
        for place in range(program.get_child_count() if program else 0):
            window = program.get_child_at_index(place)
            if window is not None and window.get_state_set().contains(Atspi.StateType.ACTIVE):
                yield from walk(until(time.monotonic() + TREE_LIMIT), window, 2)


def focus():
    """The element that gets the keys, or `None`."""
    for depth, element in of_active_window():
        try:
            if depth > 2 and element.get_state_set().contains(Atspi.StateType.FOCUSED):
                return describe(element)
        except GLib.Error:
            continue
    return None


def nameless():
    """The controls and images of the active window about which a screen reader can say nothing."""
    found = []
    for depth, element in of_active_window():
        try:
            role, states = role_of(element), element.get_state_set()
            is_control = states.contains(Atspi.StateType.FOCUSABLE) and role not in SILENT | HOLDERS
            if depth > 2 and (is_control or role in IMAGES) and not (element.get_name() or text_of(element)):
                found.append(f"{role} in {role_of(element.get_parent())} {element.get_parent().get_name()!r}")
        except GLib.Error:
            continue
    return found


def tree():
    """The screen, a line an element. Programs without a window are left out."""
    lines = []
    try:
        for depth, element in walk(until(time.monotonic() + TREE_LIMIT)):
            try:
                add_line(lines, depth, element)
            except GLib.Error:
                continue
    except Late:
        lines.append(f"... looking was broken off after {TREE_LIMIT} s")
    return "\n".join(lines)


def add_line(lines, depth, element):
    role, name = role_of(element), element.get_name()
    if depth == 0 or (role in SILENT and not name):
        return
    if role == "application" and element.get_child_count() == 0:
        return
    text, value = text_of(element), value_of(element)
    line = f"{'  ' * (depth - 1)}{role} {json.dumps(name, ensure_ascii=False)}"
    if text and text != name:
        line += f" text={json.dumps(text, ensure_ascii=False)}"
    if value is not None:
        line += f" value={value:g}"
    if depth > 1 and not sensitive(element):
        line += " insensitive"
    lines.append(line)
    left_out = element.get_child_count() - MOST_CHILDREN
    if left_out > 0:
        lines.append(f"{'  ' * depth}... and {left_out} more, not looked at")
