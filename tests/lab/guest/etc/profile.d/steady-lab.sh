# The autologin on the first terminal becomes the desktop.
if [ "$(tty)" = /dev/tty1 ]; then
    exec /usr/lib/steady-lab/session
fi
