/// A change of a name that is not durable yet.
struct NameChange: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// A new name for a file, which is identified by its number in the disk model.
        case file(Int)
        case folder
        case removed
        case renamed(to: String)
    }

    let number: Int
    let path: String
    let kind: Kind

    /// The paths that the change adds, removes or renames.
    var paths: [String] {
        if case .renamed(let new) = kind { return [path, new] }
        return [path]
    }

    /// The folders whose entries change.
    var folders: [String] { paths.map(Self.folder) }

    static func folder(of path: String) -> String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "" }
}
