/// Where things lie in a data folder. The folders' names are part of the format.
public struct DataFolder: Hashable, Sendable {
    /// The folder's own path, without a trailing slash.
    public let path: String

    public init(_ path: String) {
        self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    /// The truth: events by position. Flushed at every commit.
    public var log: String { path + "/log" }
    /// The accounts' wrapped data keys. Flushed; backed up apart from the log.
    public var keys: String { path + "/keys" }
    /// Everything that may be deleted at any moment.
    public var derived: String { path + "/derived" }
    /// The tag index.
    public var index: String { derived + "/index" }
    /// One folder for each read model.
    public var models: String { derived + "/models" }
    /// The master secret that development mode makes for itself, mode 0600.
    public var developmentSecret: String { path + "/master.key" }
}
