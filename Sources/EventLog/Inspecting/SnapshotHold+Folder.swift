internal import LMDB

extension SnapshotHold {
    /// Holds the last commit of a folder's environment; nil where the folder cannot be opened.
    ///
    /// It reads the head pages only, so that no damage beyond them can do harm. A small map: nothing is read through it.
    static func folder(_ directory: String) -> SnapshotHold? {
        guard let environment = try? Environment(directory: directory, access: .readOnly) else { return nil }
        return try? SnapshotHold(environment)
    }
}
