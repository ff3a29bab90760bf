/// The names on a disk at one moment, each with the file or folder that it refers to.
struct Names: Hashable, Sendable {
    enum Entry: Hashable, Sendable {
        case file(Int)
        case folder
    }

    private(set) var entries: [String: Entry] = ["": .folder]

    /// Applies a change. If the change removes or renames a name that does not exist, because its creation was lost, it has no effect.
    mutating func apply(_ change: NameChange) {
        switch change.kind {
        case .file(let file): entries[change.path] = .file(file)
        case .folder: entries[change.path] = .folder
        case .removed: entries[change.path] = nil
        case .renamed(let new): if let entry = entries.removeValue(forKey: change.path) { entries[new] = entry }
        }
    }

    func isFolder(_ path: String) -> Bool { entries[path] == .folder }

    func file(_ path: String) -> Int? {
        if case .file(let number)? = entries[path] { return number }
        return nil
    }

    /// The entries that can be reached from the root, in the order of paths. If a folder's name was lost, everything in the folder is
    /// missing here, even flushed files.
    var reachable: [(path: String, entry: Entry)] {
        entries.filter { hasFolders(above: $0.key) }.map { (path: $0.key, entry: $0.value) }.sorted { $0.path < $1.path }
    }

    private func hasFolders(above path: String) -> Bool {
        let folder = NameChange.folder(of: path)
        return path == "" || isFolder(folder) && hasFolders(above: folder)
    }
}
