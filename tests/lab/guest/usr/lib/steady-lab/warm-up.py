"""Shows a libadwaita window for a moment, so that the saved desktop has its files in memory."""

import gi

gi.require_version("Adw", "1")
from gi.repository import Adw, GLib, Gtk  # noqa: E402


def show(app):
    window = Adw.ApplicationWindow(application=app, title="Warming up")
    window.set_content(Adw.StatusPage(title="Warming up", icon_name="drive-removable-media-symbolic"))
    window.present()
    GLib.timeout_add_seconds(3, app.quit)


application = Adw.Application(application_id="io.github.steadyusb.WarmUp")
application.connect("activate", show)
application.run()
