//! What a test leaves out, to see which wall stops an attempt when those before it are gone.
//!
//! A build without debug assertions knows none of these switches: the list is empty there, which the compiler checks.

/// Something that an instance is never without outside tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// The engine's own wall.
    EngineWall,
    /// `METADATA_SCHEMA` at the attaching of a lake.
    MetadataSchema,
}

/// The parts that this process leaves out; none in production.
#[derive(Debug, Clone, Default)]
pub(crate) struct LeftOut(Vec<Part>);

#[cfg(debug_assertions)]
const SWITCHES: &[(&str, Part)] = &[
    ("PINTAIL_TEST_WITHOUT_ENGINE_WALL", Part::EngineWall),
    ("PINTAIL_TEST_WITHOUT_METADATA_SCHEMA", Part::MetadataSchema),
];

#[cfg(not(debug_assertions))]
const SWITCHES: &[(&str, Part)] = &[];

const _: () = assert!(
    cfg!(debug_assertions) || SWITCHES.is_empty(),
    "a release leaves nothing out"
);

impl LeftOut {
    /// What the environment's switches say.
    pub(crate) fn from_environment() -> Self {
        let given = SWITCHES.iter().filter(|(name, _)| std::env::var_os(name).is_some());
        Self(given.map(|(_, part)| *part).collect())
    }

    /// Whether that part is left out.
    pub(crate) fn contains(&self, part: Part) -> bool {
        self.0.contains(&part)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    /// The files below a directory whose text holds `needle`.
    fn files_with(needle: &str, directory: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(directory).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                files_with(needle, &path, found);
            } else if std::fs::read_to_string(&path).is_ok_and(|text| text.contains(needle)) {
                found.push(path.file_name().expect("a name").to_string_lossy().into_owned());
            }
        }
    }

    #[test]
    fn switches_are_read_in_these_files_only() {
        let mut found = Vec::new();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        files_with("PINTAIL_TEST_", &source, &mut found);
        found.sort();
        assert_eq!(found, ["dies.rs", "left_out.rs"]);
    }
}
