#!/usr/bin/env python3
"""drag-source.py FILE...: a small window from which files can be dragged, as from a file manager.

Prints what happens, a line each: ready, begun, accepted or refused by what is under the pointer
(each change), and at the end dropped or cancelled.
"""

import sys

import gi

gi.require_version("Gdk", "4.0")
gi.require_version("Gtk", "4.0")
from gi.repository import Gdk, Gio, GLib, GObject, Gtk  # noqa: E402


def tell(word):
    print(word, flush=True)


def begun(_, drag):
    tell("begun")
    drag.connect("notify::selected-action", lambda *_: tell("accepted" if drag.get_selected_action() else "refused"))


files = Gdk.FileList.new_from_list([Gio.File.new_for_path(path) for path in sys.argv[1:]])
source = Gtk.DragSource(actions=Gdk.DragAction.COPY)
source.set_content(Gdk.ContentProvider.new_for_value(GObject.Value(Gdk.FileList, files)))
source.connect("drag-begin", begun)
# What was cancelled ends, too; whoever reads stops at the first of the two.
source.connect("drag-cancel", lambda *_: tell("cancelled"))
source.connect("drag-end", lambda *_: tell("dropped"))

icon = Gtk.Image(icon_name="folder-symbolic", pixel_size=48)
window = Gtk.Window(title="Files to drag", child=icon, decorated=False, default_width=64, default_height=64)
window.add_controller(source)
window.connect("map", lambda _: GLib.idle_add(tell, "ready"))
window.present()
GLib.MainLoop().run()
