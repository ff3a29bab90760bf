/// A change of names, as it waits to be certain.
struct NameChange: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// A name for a file, by the number that the disk model gives it.
        case file(Int)
        case folder
        case removed
        case renamed(to: String)
    }

    let number: Int
    let path: String
    let kind: Kind

    /// The names that it touches.
    var paths: [String] {
        if case .renamed(let new) = kind { return [path, new] }
        return [path]
    }

    /// The folders in which it changes something.
    var folders: [String] { paths.map(Self.folder) }

    static func folder(of path: String) -> String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "" }
}
