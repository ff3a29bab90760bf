/// What a file or a folder is called while it is not complete.
public enum PartialName {
    private static let suffix = ".partial"

    /// Beside its name to come: `dir/` and `dir` become `dir.partial`.
    public static func of(_ path: String) -> String { plain(path) + suffix }

    /// Without slashes at its end.
    static func plain(_ path: String) -> String {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }
}
