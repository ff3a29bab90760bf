/// The files and folders that names refer to at one moment.
struct Names: Hashable, Sendable {
    enum Entry: Hashable, Sendable {
        case file(Int)
        case folder
    }

    private(set) var entries: [String: Entry] = ["": .folder]

    /// Applies a change. A change of a name that was lost has no effect.
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

    /// The entries that can be reached from the root, in the order of paths. A lost folder hides its content, even flushed content.
    var reachable: [(path: String, entry: Entry)] {
        entries.filter { hasFolders(above: $0.key) }.map { (path: $0.key, entry: $0.value) }.sorted { $0.path < $1.path }
    }

    private func hasFolders(above path: String) -> Bool {
        let folder = NameChange.folder(of: path)
        return path == "" || isFolder(folder) && hasFolders(above: folder)
    }
}
