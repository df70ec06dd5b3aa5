use std::{collections::BTreeMap, fs, path::PathBuf};

use anyhow::Result;

use super::{Case, Fault, Job, draw::Draw};
use crate::{Lab, Medium, PlugOptions, Stick, contents, copy_of, put_disk, put_folder};

/// MiB of the stick: the smallest that holds a FAT32 in which a partition has some room.
const SIZE: u64 = 48;
/// MiB of a stick that Steady formats with FAT32.
const FORMATTED: u64 = 600;
/// MiB of the image that is written.
const DISK: u64 = 6;
/// Lets the person write devices without being asked, where the prompt is not what matters.
const RULE: &str = r#"polkit.addRule(function(action, subject) {
    if (action.id.indexOf("org.freedesktop.udisks2.open-device") == 0 && subject.user == "tester") return polkit.Result.YES;
});"#;

/// The PC, the sticks and the files at the start of a case.
pub(super) struct Stage<'a> {
    pub(super) lab: &'a Lab,
    pub(super) case: Case,
    /// The one that is meant.
    pub(super) stick: Stick,
    /// Where the sources lie, if not on the PC.
    pub(super) camera: Option<Stick>,
    /// The guest's folder with the sources.
    pub(super) folder: String,
    /// Name of the image there.
    pub(super) image: &'static str,
    /// Files that are copied, by their paths on the stick.
    pub(super) sources: BTreeMap<String, Vec<u8>>,
    /// Files on the stick before.
    pub(super) before: BTreeMap<String, Vec<u8>>,
    /// The image that is written.
    pub(super) disk: Vec<u8>,
    /// Everything on the stick before.
    pub(super) blank: PathBuf,
}

impl<'a> Stage<'a> {
    /// Sets it up anew.
    pub(super) fn set(lab: &'a Lab, case: Case, draw: &mut Draw) -> Result<Self> {
        lab.restore()?;
        let images = lab.stick_images();
        fs::create_dir_all(&images)?;
        let before = before();
        let blank = images.join("before.img");
        let size = if case.job == Job::Format {
            FORMATTED
        } else {
            SIZE
        };
        Medium::make(&blank, size, &before)?;
        let (profile, size) = profile(case, draw);
        let image = copy_of(&blank, "case")?;
        if let Some(size) = size {
            fs::File::options()
                .write(true)
                .open(&image)?
                .set_len(size)?;
        }
        let plug = |name: &str, profile: String, image: PathBuf| {
            lab.plug(&PlugOptions {
                profile,
                image: Some(image),
                name: Some(name.into()),
                ..PlugOptions::default()
            })
        };
        let strange = images.join("other.img");
        fs::write(&strange, contents("other", 1 << 20))?;
        fs::File::options()
            .write(true)
            .open(&strange)?
            .set_len(16 << 20)?;
        // One that nobody means.
        plug("other", "even".into(), strange)?;
        let mut stage = Self {
            lab,
            case,
            stick: plug("case", profile, image)?,
            camera: None,
            folder: String::new(),
            image: "disk.img",
            sources: BTreeMap::new(),
            before,
            disk: Vec::new(),
            blank,
        };
        stage.put_sources()?;
        if !case.fault.prompts() {
            stage.allow_devices()?;
        }
        lab.run_root(&["sh", "-c", "touch /run/campaign-begin; sleep 0.1"])?
            .success()?;
        Ok(stage)
    }

    /// Puts the sources where they belong, once more if they have gone.
    pub(super) fn put_sources(&mut self) -> Result<()> {
        match self.case.job {
            Job::Copy => {
                let put = put_folder(self.lab, "job", &sources())?;
                let strip = |(path, bytes): (String, Vec<u8>)| {
                    (path.trim_start_matches("job/").to_owned(), bytes)
                };
                self.sources = put.into_iter().map(strip).collect();
            }
            Job::Write => {
                self.lab
                    .run(&["mkdir", "-p", "/home/tester/job"])?
                    .success()?;
                self.disk = put_disk(self.lab, "job/disk.img", DISK)?;
            }
            Job::Format | Job::CheckStick => {}
        }
        self.folder = "/home/tester/job".into();
        if self.case.fault == Fault::OutOfMemory {
            self.pack()?;
        }
        if self.case.fault.has_camera() {
            self.plug_camera()?;
        }
        Ok(())
    }

    /// The image as it is packed where most memory is needed to unpack it.
    fn pack(&mut self) -> Result<()> {
        self.image = "disk.img.xz";
        let pack = "import lzma;d='/home/tester/job/disk.img';open(d+'.xz','wb').write(lzma.compress(open(d,'rb').read(),filters=[{'id':lzma.FILTER_LZMA2,'preset':0,'dict_size':64<<20}]))";
        let packed = self.lab.run(&["python3", "-c", pack])?;
        packed.success().map(drop)
    }

    /// The sources on a stick of their own, mounted as a desktop does it.
    fn plug_camera(&mut self) -> Result<()> {
        let files = match self.case.job {
            Job::Write => BTreeMap::from([("disk.img".to_owned(), self.disk.clone())]),
            _ => self.sources.clone(),
        };
        let image = self.lab.stick_images().join("camera.img");
        Medium::make(&image, SIZE, &files)?;
        let camera = self.lab.plug(&PlugOptions {
            profile: "even:rbps=1.5e6".into(),
            image: Some(image),
            name: Some("camera".into()),
            ..PlugOptions::default()
        })?;
        let mounted = format!(
            "for i in $(seq 100); do findmnt -n -o TARGET {0}1 && exit; sleep 0.2; done; exit 1",
            camera.device
        );
        self.folder = self.lab.run(&["sh", "-c", &mounted])?.success()?.text();
        self.camera = Some(camera);
        Ok(())
    }

    /// From now on nobody is asked for a password.
    pub(super) fn allow_devices(&self) -> Result<()> {
        let rule =
            format!("cat >/etc/polkit-1/rules.d/10-campaign.rules <<'EOF'\n{RULE}\nEOF\nsleep 0.5");
        self.lab.run_root(&["sh", "-c", &rule])?.success().map(drop)
    }

    /// The device of the stick's partition.
    pub(super) fn part(&self) -> String {
        format!("{}1", self.stick.device)
    }

    /// Plugs the stick in again, or an empty one in its place.
    pub(super) fn plug_again(&self, name: &str, read_only: bool, fresh: bool) -> Result<Stick> {
        let from = if fresh {
            self.blank.as_path()
        } else {
            self.stick.image_path()
        };
        self.lab.plug(&PlugOptions {
            profile: "even".into(),
            image: Some(copy_of(from, name)?),
            name: Some(name.into()),
            read_only,
            ..PlugOptions::default()
        })
    }
}

/// What is on the stick before: a file that nobody means, and two that are to be replaced.
fn before() -> BTreeMap<String, Vec<u8>> {
    [
        ("keep.bin", 300_000),
        ("old.bin", 500_000),
        ("small/007.bin", 9_000),
    ]
    .map(|(path, size)| (path.to_owned(), contents(&format!("old {path}"), size)))
    .into()
}

/// What is copied, by its path in the folder of the person.
fn sources() -> Vec<(String, usize)> {
    let mut files = vec![
        ("film.bin".to_owned(), 2_500_000),
        ("old.bin".to_owned(), 700_000),
    ];
    files.extend((0..30).map(|number| (format!("small/{number:03}.bin"), 300 + number * 700)));
    files
}

/// The stick's profile, and the size of what it really has.
fn profile(case: Case, draw: &mut Draw) -> (String, Option<u64>) {
    let rates = case.job.rates();
    if case.fault == Fault::Fake {
        let has = 3 + (draw.share() * 3.0) as u64;
        // What comes round would destroy the file system, whoever writes.
        let how = match case.job {
            Job::Copy => "drop",
            _ => draw.weighted(&[("drop", 1.0), ("wrap", 1.0)]),
        };
        let profile = format!("fake:claims={SIZE}M,has={has}M,how={how},{rates}");
        return (profile, Some(has << 20));
    }
    let keep = draw.weighted(&[(0.0, 1.0), (0.5, 2.0), (0.9, 1.0)]);
    let seed = draw.number() % 1_000_000;
    (format!("volatile:{rates},keep={keep},seed={seed}"), None)
}
