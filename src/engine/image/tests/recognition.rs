use super::bytes::mixed;
use super::files::{image, refusal, refused};
use super::{disks, packers};
use crate::engine::image::{
    Boot, Container, NameClaim, NoImage, Refusal, Refused, SideFile, Unsupported,
};

#[test]
fn i10_contents_decide_and_a_name_that_says_otherwise_is_told() {
    let disk = disks::mbr(1 << 16);
    let renamed = image("a.img", &packers::pack(Container::Xz, &disk));
    assert_eq!(renamed.containers, [Container::Xz]);
    assert_eq!(renamed.contradicts, Some(NameClaim::Plain));

    let plain = image("a.img.gz", &disk);
    assert_eq!(plain.containers, []);
    assert_eq!(plain.contradicts, Some(NameClaim::Packed(Container::Gzip)));

    for name in ["a.img", "a.ISO", "a", "a.unheard-of"] {
        assert_eq!(image(name, &disk).contradicts, None, "{name}");
    }
}

#[test]
fn i10_what_is_no_image_is_refused_as_what_it_is() {
    let digest = "d41d8cd98f00b204e9800998ecf8427e";
    let table: [(&str, &[u8], Refusal); 7] = [
        ("a.img", b"", Refusal::Empty),
        (
            "a.img",
            b"Read me first.\n",
            Refusal::NoImage(NoImage::Text),
        ),
        (
            "a.iso",
            b"<?xml version=\"1.0\"?>\n<!-- a map -->\n<bmap version=\"2.0\">",
            Refusal::SideFile(SideFile::Bmap),
        ),
        (
            "a.img",
            b"<!DOCTYPE html><html>404",
            Refusal::NoImage(NoImage::WebPage),
        ),
        (
            "a.xz",
            digest.as_bytes(),
            Refusal::SideFile(SideFile::Checksums),
        ),
        (
            "a.iso",
            b"\x88\x02\x04\0",
            Refusal::SideFile(SideFile::Signature),
        ),
        ("a.img", &[0; 511], Refusal::TooShort),
    ];
    for (name, bytes, why) in table {
        assert_eq!(refusal(name, bytes), why, "{name}");
    }
}

#[test]
fn i10_what_is_packed_is_looked_into() {
    let mut tar = vec![0; 10_240];
    tar[257..265].copy_from_slice(b"ustar  \0");
    let inside = |why, container| Refused {
        why,
        inside: vec![container],
    };
    for container in super::STREAMS {
        let packed = packers::pack(container, &tar);
        let expected = inside(Refusal::NoImage(NoImage::Tar), container);
        assert_eq!(refused("disk.tar.gz", &packed), expected);
        let packed = packers::pack(container, b"words\n");
        let expected = inside(Refusal::NoImage(NoImage::Text), container);
        assert_eq!(refused("a.img.gz", &packed), expected);
        let packed = packers::pack(container, b"");
        assert_eq!(refused("a", &packed), inside(Refusal::Empty, container));
    }
}

#[test]
fn formats_of_virtual_machines_are_named() {
    let mut vhd = disks::mbr(1 << 16);
    vhd.extend(b"conectix");
    vhd.resize((1 << 16) + 512, 0);
    let mut vdi = b"<<< Oracle VM VirtualBox Disk Image >>>\n".to_vec();
    vdi.resize(4096, 0);
    vdi[0x40..0x44].copy_from_slice(&0xBEDA_107F_u32.to_le_bytes());
    for (bytes, format) in [
        (vhd, Unsupported::Vhd),
        (vdi, Unsupported::Vdi),
        (b"vhdxfile\0\0".to_vec(), Unsupported::Vhdx),
        (b"QFI\xFB\0\0\0\x03".to_vec(), Unsupported::Qcow2),
        (b"KDMV\x01\0\0\0".to_vec(), Unsupported::Vmdk),
        (
            b"# Disk DescriptorFile\nversion=1\n".to_vec(),
            Unsupported::Vmdk,
        ),
        (b"MSWIM\0\0\0\xD0\0\0\0".to_vec(), Unsupported::Wim),
    ] {
        let why = Refusal::Unsupported(format);
        assert_eq!(refusal("a.img", &bytes), why);
        let packed = packers::pack(Container::Zstd, &bytes);
        // What is told by the end only is out of reach when packed.
        if format != Unsupported::Vhd {
            assert_eq!(refusal("a.img", &packed), why);
        }
    }
}

#[test]
fn i11_what_will_not_boot_is_known_before_packed_or_not() {
    use disks::Disk;
    let plain = Disk::iso().build();
    let windows = Disk::iso().udf().udf_name("bootmgr").build();
    let mut hybrid = Disk::iso().udf().build();
    disks::add_mbr(&mut hybrid, 0, 1200);
    for (disk, boot) in [
        (plain, Boot::NoTable),
        (windows, Boot::WindowsInstaller),
        (hybrid, Boot::Expected),
        (disks::gpt(1 << 20, 512), Boot::Expected),
        (disks::mbr(1 << 20), Boot::Expected),
    ] {
        assert_eq!(image("a.iso", &disk).layout.boot(), boot);
        for container in super::STREAMS {
            let packed = packers::pack(container, &disk);
            assert_eq!(image("a.iso.x", &packed).layout.boot(), boot);
        }
    }
}

#[test]
fn bytes_without_any_mark_may_be_an_image() {
    let layout = image("a.img", &mixed(1 << 16)).layout;
    assert!(!layout.is_marked());
    assert_eq!(layout.boot(), Boot::NoTable);
}

#[test]
fn layers_have_an_end() {
    let disk = disks::mbr(1 << 16);
    let twice = packers::gzip(&packers::bzip2(&disk));
    assert_eq!(
        image("a", &twice).containers,
        [Container::Gzip, Container::Bzip2]
    );
    assert_eq!(
        refusal("a", &packers::gzip(&twice)),
        Refusal::PackedTooOften
    );
    let archive = packers::gzip(&packers::zip(&[("a.img", &disk)]));
    assert_eq!(refusal("a", &archive), Refusal::PackedTooOften);
}
