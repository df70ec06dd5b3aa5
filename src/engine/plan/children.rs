use super::Gathered;

/// What each folder holds, in one list: a tree of 200,000 entries needs no 200,000 lists.
pub(super) struct Children {
    /// Indices of items, those of one folder beside each other.
    items: Vec<usize>,
    /// Where those of each folder begin; of the sources themselves, at the end.
    starts: Vec<usize>,
}

impl Children {
    pub(super) fn of(gathered: &Gathered) -> Self {
        let count = gathered.items.len();
        let folder = |parent: Option<usize>| parent.unwrap_or(count);
        let mut starts = vec![0; count + 2];
        for item in &gathered.items {
            starts[folder(item.parent) + 1] += 1;
        }
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        let mut next = starts.clone();
        let mut items = vec![0; count];
        for (index, item) in gathered.items.iter().enumerate() {
            let slot = &mut next[folder(item.parent)];
            items[*slot] = index;
            *slot += 1;
        }
        Self { items, starts }
    }

    /// Of a folder; `None` stands for the target folder, which holds the sources.
    pub(super) fn of_folder(&self, folder: Option<usize>) -> &[usize] {
        let folder = folder.unwrap_or(self.starts.len() - 2);
        &self.items[self.starts[folder]..self.starts[folder + 1]]
    }
}
