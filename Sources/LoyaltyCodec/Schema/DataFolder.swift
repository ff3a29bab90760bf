/// The paths in a data folder. The folders' names are part of the format.
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
    /// The last checkpoint that was signed (a C2SP signed note): belongs to the log and into its backups, copied before the log.
    public var checkpoint: String { path + "/checkpoint" }
    /// The key that checkpoints are verified with, as text. Whoever trusts nobody gets it elsewhere.
    public var verifierKey: String { path + "/checkpoint.vkey" }
    /// Pictures, each named by its SHA-256. Flushed when they come; backed up with the log.
    public var blobs: String { path + "/blobs" }
    /// The keys of requests that changed nothing, a ring of 4 MiB at most: in no backup, and without it such a request is judged anew.
    public var idleRequests: String { path + "/idle-requests" }
    /// Written when a backup went well, for the age of the last one.
    public var backupNote: String { path + "/last-backup" }
    /// Written when a drill went well.
    public var drillNote: String { path + "/last-drill" }
    /// Everything that may be deleted at any moment.
    public var derived: String { path + "/derived" }
    /// The tag index.
    public var index: String { derived + "/index" }
    /// One folder for each read model.
    public var models: String { derived + "/models" }
    /// Copies of read models as of earlier positions.
    public var snapshots: String { derived + "/snapshots" }
    /// Pictures in smaller sizes.
    public var thumbnails: String { derived + "/thumbnails" }
    /// The master secret that development mode makes for itself, mode 0600.
    public var developmentSecret: String { path + "/master.key" }
}
