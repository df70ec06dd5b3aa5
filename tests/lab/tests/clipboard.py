"""clipboard.py FILE...: holds files on the clipboard, as a file manager does after “Copy”."""

import sys

import gi

gi.require_version("Gdk", "4.0")
gi.require_version("Gtk", "4.0")
from gi.repository import Gdk, Gio, GLib, GObject, Gtk  # noqa: E402

Gtk.init()
files = Gdk.FileList.new_from_list([Gio.File.new_for_path(path) for path in sys.argv[1:]])
clipboard = Gdk.Display.get_default().get_clipboard()
clipboard.set_content(Gdk.ContentProvider.new_for_value(GObject.Value(Gdk.FileList, files)))
GLib.MainLoop().run()
