use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Result;

use super::{Recipe, tool};

const SUITE: &str = "trixie";

/// What the guest is made of, by subject.
const PACKAGES: &[&str] = &[
    // The system, and a session.
    "linux-image-amd64 systemd-sysv libpam-systemd dbus dbus-user-session udev kmod procps zstd",
    "util-linux util-linux-extra fdisk locales gettext-base qemu-guest-agent",
    // Drives and permissions. lxpolkit asks for passwords, udiskie mounts what is plugged in.
    "udisks2 polkitd lxpolkit udiskie dosfstools exfatprogs rsync",
    // What else people have on sticks, and what holds them.
    "ntfs-3g btrfs-progs lvm2 cryptsetup-bin",
    // Whom Steady is measured against, and what its sandbox is made of.
    "bmap-tools xz-utils gnome-text-editor flatpak",
    // The desktop.
    "xvfb x11-utils x11-xserver-utils openbox weston dunst xdg-desktop-portal xdg-desktop-portal-gtk",
    "dconf-gsettings-backend gsettings-desktop-schemas",
    // GTK programs. DejaVu has Arabic and Hebrew, Droid Fallback has Chinese, Japanese and Korean.
    "libgtk-4-1 libadwaita-1-0 libglib2.0-bin adwaita-icon-theme librsvg2-common",
    "fonts-cantarell fonts-dejavu-core fonts-droid-fallback",
    // Seeing and working them.
    "at-spi2-core python3-gi gir1.2-atspi-2.0 gir1.2-gtk-4.0 gir1.2-adw-1 imagemagick xdotool",
];

const EXCLUDED: &[&str] = &["/usr/share/doc/*", "/usr/share/man/*", "/usr/share/info/*"];

/// Before the kernel is installed: an initial RAM disk with just what finds the root disk is a
/// fifth of the size, and the kernel unpacks it in emulation.
const BEFORE_PACKAGES: &str = r#"
mkdir -p "$1/etc/initramfs-tools/conf.d" "$1/usr/share/initramfs-tools/modules.d"
echo MODULES=list >"$1/etc/initramfs-tools/conf.d/lab"
printf '%s\n' ext4 virtio_pci virtio_blk >"$1/usr/share/initramfs-tools/modules.d/lab"
"#;

/// The person at the PC: an administrator, with the password that [`crate::Lab::PASSWORD`] tells.
const AFTER_PACKAGES: &str = r#"
for language in de_DE en_US fr_FR es_ES ar_EG he_IL ja_JP; do
    chroot "$1" localedef -i "$language" -f UTF-8 "$language.UTF-8"
done
chroot "$1" useradd --uid 1000 --create-home --groups sudo --shell /bin/bash tester
echo tester:steady | chroot "$1" chpasswd
mkdir -p "$1/opt/steady"
"#;

/// The guest's packages, installed: a folder.
pub(super) fn guest_tree(cache: &Path) -> Result<PathBuf> {
    let mut arguments = vec![
        "--variant=minbase".to_owned(),
        "--aptopt=Apt::Install-Recommends \"false\"".to_owned(),
        format!("--include={}", PACKAGES.join(" ").replace(' ', ",")),
        format!("--essential-hook={BEFORE_PACKAGES}"),
        format!("--customize-hook={AFTER_PACKAGES}"),
    ];
    arguments.extend(
        EXCLUDED
            .iter()
            .map(|path| format!("--dpkgopt=path-exclude={path}")),
    );
    arguments.push(SUITE.to_owned());
    let key = arguments.join("\n");
    let recipe = Recipe {
        kind: "lab-tree",
        key: key.as_bytes(),
        what: "Installing the lab's guest, once",
        usually: "2 minutes",
    };
    recipe.made(cache, |new| {
        tool(Command::new("mmdebstrap").args(&arguments).arg(new))
    })
}
