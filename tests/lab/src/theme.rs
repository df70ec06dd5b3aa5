use std::str::FromStr;

/// How the desktop wants programs to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
    /// Dark on light in high contrast.
    Contrast,
}

impl Theme {
    /// The settings that say so, as schema, key and value.
    pub(crate) fn settings(self) -> [(&'static str, &'static str, &'static str); 2] {
        let (scheme, contrast) = match self {
            Self::Light => ("default", "false"),
            Self::Dark => ("prefer-dark", "false"),
            Self::Contrast => ("default", "true"),
        };
        [
            ("org.gnome.desktop.interface", "color-scheme", scheme),
            (
                "org.gnome.desktop.a11y.interface",
                "high-contrast",
                contrast,
            ),
        ]
    }
}

impl FromStr for Theme {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "light" => Ok(Self::Light),
            "dark" => Ok(Self::Dark),
            "contrast" => Ok(Self::Contrast),
            _ => Err("one of light, dark, contrast".to_owned()),
        }
    }
}
