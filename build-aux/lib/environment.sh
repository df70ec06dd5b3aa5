# shellcheck shell=bash
# Where Steady is built and tested: sourced by run, check and lab.
#
# Two places, chosen once a call:
#   native   the distribution's own GTK >= 4.14 and libadwaita >= 1.5
#   root     a Debian 13 tree under the user's cache, entered with bubblewrap, where the
#            distribution is older. The lab (QEMU, nbdkit, the guest) always lives there, so
#            that it is the same lab everywhere.
# The Rust toolchain and the CA certificates are always the host's.

PROJECT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
CACHE=${STEADY_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/steady}
NEEDED_GTK=4.14
NEEDED_ADWAITA=1.5

ROOT_SUITE=trixie
# What the root holds: building, then checking, then the lab.
ROOT_PACKAGES=(
    gcc libc6-dev pkgconf make git ca-certificates libgtk-4-dev libadwaita-1-dev gettext
    libglib2.0-bin librsvg2-common adwaita-icon-theme fonts-cantarell fonts-dejavu-core
    xvfb xauth dbus at-spi2-core desktop-file-utils appstream codespell shellcheck procps valgrind
    qemu-system-x86 qemu-utils nbdkit e2fsprogs mmdebstrap mtools dosfstools exfatprogs util-linux fdisk
    rsync xorriso flatpak flatpak-builder ostree elfutils locales xz-utils
)

say() { printf '%s\n' "$*" >&2; }

# step WHAT HOW_LONG: one line before anything that takes a while.
step() { say "==> $1 (usually $2)"; }

die() {
    say "$*"
    exit 1
}

# As root directly; otherwise the exact command is shown and asked for.
as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
        return
    fi
    command -v sudo >/dev/null || die "This needs to be run as root first: $*"
    say "This has to be run as root:"
    say "    sudo $*"
    [ -t 0 ] || die "There is no terminal to ask on. Run it yourself, then start again."
    local answer
    read -r -p "Run it now? [y/N] " answer >&2
    [[ $answer == [yY]* ]] || die "Nothing was changed."
    sudo "$@"
}

package_manager() {
    local name
    for name in apt-get dnf pacman zypper; do
        command -v "$name" >/dev/null && {
            echo "$name"
            return
        }
    done
    die "Found none of apt-get, dnf, pacman or zypper. Install GTK >= $NEEDED_GTK and libadwaita >= $NEEDED_ADWAITA with their development files, then start again."
}

# Ten minutes: a machine that has just started may be installing something by itself.
LOCK_WAIT=600

install_packages() {
    case $(package_manager) in
    apt-get) as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=$LOCK_WAIT "$@" ;;
    dnf) as_root dnf install -y "$@" ;;
    pacman) as_root pacman -S --needed --noconfirm "$@" ;;
    zypper) as_root zypper --non-interactive install "$@" ;;
    esac >"$CACHE/install.log" || die "Installing failed; the end of $CACHE/install.log says why."
}

# Debian's list of packages as it is now. Without a network the old one has to do.
read_package_list() {
    local until=$((SECONDS + LOCK_WAIT))
    # apt-get waits for the lock of what is installed, and not for that of the list.
    until LC_ALL=C as_root apt-get update >"$CACHE/install.log" 2>&1; do
        grep -q "Could not get lock" "$CACHE/install.log" && [ $SECONDS -lt $until ] || return 0
        sleep 2
    done
}

# version_at_least HAVE NEEDED
version_at_least() {
    [ -n "$1" ] && [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$2" ]
}

# The version that the distribution offers of a package, without revision or epoch.
offered_version() {
    case $(package_manager) in
    apt-get) apt-cache policy "$1" 2>/dev/null | awk '/Candidate:/ && $2 != "(none)" { print $2 }' ;;
    dnf) dnf -q repoquery --latest-limit 1 --qf '%{version}\n' "$1" 2>/dev/null ;;
    pacman) pacman -Si "$1" 2>/dev/null | awk '/^Version/ { print $3 }' ;;
    zypper) zypper --non-interactive info "$1" 2>/dev/null | awk '/^Version/ { print $3 }' ;;
    esac | sed -e 's/^[0-9]*://' -e 's/-.*//' | head -n 1
}

toolkit_installed() {
    command -v pkg-config >/dev/null && pkg-config --atleast-version=$NEEDED_GTK gtk4 2>/dev/null &&
        pkg-config --atleast-version=$NEEDED_ADWAITA libadwaita-1
}

# Packages that a native build and its tests need, by the package manager's own names.
native_packages() {
    case $(package_manager) in
    apt-get) echo gcc libc6-dev pkgconf git libgtk-4-dev libadwaita-1-dev gettext libglib2.0-bin \
        xvfb xauth dbus at-spi2-core adwaita-icon-theme desktop-file-utils appstream codespell shellcheck valgrind xz-utils ;;
    dnf) echo gcc pkgconf-pkg-config git gtk4-devel libadwaita-devel gettext glib2-devel \
        xorg-x11-server-Xvfb xorg-x11-xauth dbus-daemon at-spi2-core desktop-file-utils appstream codespell ShellCheck valgrind xz ;;
    pacman) echo gcc pkgconf git gtk4 libadwaita gettext glib2-devel xorg-server-xvfb xorg-xauth dbus \
        at-spi2-core desktop-file-utils appstream codespell shellcheck valgrind xz ;;
    zypper) echo gcc pkgconf-pkg-config git gtk4-devel libadwaita-devel gettext-tools glib2-devel \
        xvfb-run xauth dbus-1 at-spi2-core desktop-file-utils AppStream codespell ShellCheck valgrind xz ;;
    esac
}

toolkit_packages() {
    case $(package_manager) in
    apt-get) echo libgtk-4-dev libadwaita-1-dev ;;
    dnf | zypper) echo gtk4-devel libadwaita-devel ;;
    pacman) echo gtk4 libadwaita ;;
    esac
}

# Sets BUILD_PLACE to native or root, and makes that place ready.
ensure_build_place() {
    mkdir -p "$CACHE"
    command -v cargo >/dev/null || die "The Rust toolchain (cargo) is missing. Install Rust 1.92 or newer, then start again."
    if [ -e /.steady-build-root ] || { toolkit_installed && [ -e "$CACHE/native-ready" ]; }; then
        BUILD_PLACE=native
        return
    fi
    if [ "$(package_manager)" = apt-get ] && [ "$(id -u)" = 0 ] && [ -z "$(offered_version libgtk-4-dev)" ]; then
        step "Reading the list of packages" "10 seconds"
        read_package_list
    fi
    local gtk adwaita
    # shellcheck disable=SC2046
    set -- $(toolkit_packages)
    gtk=$(offered_version "$1") adwaita=$(offered_version "$2")
    if version_at_least "$gtk" $NEEDED_GTK && version_at_least "$adwaita" $NEEDED_ADWAITA; then
        step "Installing the development packages of GTK $gtk and libadwaita $adwaita" "1 to 3 minutes"
        # shellcheck disable=SC2046
        install_packages $(native_packages)
        touch "$CACHE/native-ready"
        BUILD_PLACE=native
    else
        [ -n "${BUILD_ROOT:-}" ] || say "This distribution offers GTK ${gtk:-(none)}; Steady needs $NEEDED_GTK, so it is built in a Debian 13 tree of its own. Nothing on this system is upgraded."
        ensure_root
        BUILD_PLACE=root
    fi
}

# Sets BUILD_ROOT to the Debian 13 tree, made when it is absent or its package list has changed.
ensure_root() {
    mkdir -p "$CACHE"
    local key
    key=$(printf '%s\n' "$ROOT_SUITE" "${ROOT_PACKAGES[@]}" | sha256sum | cut -c1-12)
    BUILD_ROOT=$CACHE/debian13-$key
    local missing=()
    command -v bwrap >/dev/null || missing+=(bubblewrap)
    if [ ! -d "$BUILD_ROOT" ]; then
        command -v mmdebstrap >/dev/null || command -v debootstrap >/dev/null ||
            case $(package_manager) in
            apt-get) missing+=(mmdebstrap) ;;
            # With the keys that Debian's packages are signed with.
            dnf) missing+=(debootstrap debian-keyring) ;;
            pacman) missing+=(debootstrap debian-archive-keyring) ;;
            zypper) missing+=(debootstrap) ;;
            esac
    fi
    if [ ${#missing[@]} -gt 0 ]; then
        step "Installing ${missing[*]}" "20 seconds"
        [ "$(package_manager)" != apt-get ] || read_package_list
        install_packages "${missing[@]}"
    fi
    touch "$BUILD_ROOT.used"
    [ ! -d "$BUILD_ROOT" ] || return 0
    # One maker at a time; whoever waited finds it made.
    exec 8>"$CACHE/root.lock"
    flock 8
    if [ ! -d "$BUILD_ROOT" ]; then
        step "Making a Debian 13 tree with GTK 4 and the lab's tools, once" "3 minutes"
        as_root "$PROJECT/build-aux/lib/make-root" "$BUILD_ROOT" "$ROOT_SUITE" "$CACHE/root.log" "${ROOT_PACKAGES[@]}" ||
            die "Making the tree failed; the end of $CACHE/root.log says why."
    fi
    exec 8>&-
}

# in_root COMMAND...: runs it in the Debian 13 tree, in this folder, with the host's network,
# processes, /tmp and Rust toolchain. With SHARE_DESKTOP=1 also with its display, buses, home and
# sticks, for the program itself; without, a display or a bus of the host is not touched by tests.
in_root() {
    if [ -e /.steady-build-root ]; then
        "$@"
        return
    fi
    [ -n "${BUILD_ROOT:-}" ] || ensure_root
    local cargo_home=${CARGO_HOME:-$HOME/.cargo} toolchain file variable desktop=()
    toolchain=$(cd "$PROJECT" && rustc --print sysroot)
    mkdir -p "$cargo_home/bin"
    if [ "${SHARE_DESKTOP:-0}" = 1 ]; then
        desktop+=(--bind /run /run --bind "$HOME" "$HOME" --bind-try /media /media --bind-try /mnt /mnt)
    else
        desktop+=(--tmpfs /run)
        for variable in DISPLAY WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS XDG_RUNTIME_DIR XAUTHORITY; do
            desktop+=(--unsetenv "$variable")
        done
    fi
    local certificates=()
    for file in /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt /etc/ssl/ca-bundle.pem; do
        if [ -e "$file" ]; then
            certificates=(--ro-bind "$file" /etc/ssl/certs/ca-certificates.crt)
            break
        fi
    done
    # The tree's folders one by one: without root no place for a mount can be made in it.
    local tree=(--ro-bind "$BUILD_ROOT/.steady-build-root" /.steady-build-root)
    for file in "$BUILD_ROOT"/{bin,etc,lib,lib64,opt,sbin,srv,usr,var}; do
        if [ -L "$file" ]; then
            tree+=(--symlink "$(readlink "$file")" "/${file##*/}")
        else
            tree+=(--bind "$file" "/${file##*/}")
        fi
    done
    # Of cargo's folder not bin: rustup's stand-ins there find no toolchain from inside.
    bwrap "${tree[@]}" --dev-bind /dev /dev --bind /proc /proc --ro-bind /sys /sys \
        --bind /tmp /tmp "${desktop[@]}" --ro-bind "$(readlink -f /etc/resolv.conf)" /etc/resolv.conf \
        "${certificates[@]}" --bind "$cargo_home" "$cargo_home" --ro-bind "$toolchain" "$toolchain" \
        --tmpfs "$cargo_home/bin" \
        --bind "$CACHE" "$CACHE" --bind "$PROJECT" "$PROJECT" \
        --setenv CARGO_HOME "$cargo_home" --setenv STEADY_CACHE "$CACHE" \
        --setenv CARGO_TARGET_DIR "${STEADY_TARGET:-$PROJECT/target/debian13}" \
        --setenv PATH "$toolchain/bin:/usr/sbin:/usr/bin:/sbin:/bin" --setenv LC_ALL C.UTF-8 \
        --chdir "$PWD" "$@"
}

# in_build_place COMMAND...: where the program is built and tested.
in_build_place() {
    [ -n "${BUILD_PLACE:-}" ] || ensure_build_place
    if [ "$BUILD_PLACE" = root ]; then in_root "$@"; else "$@"; fi
}
