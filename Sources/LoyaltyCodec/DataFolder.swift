/// The paths in a data folder. The folders' names are part of the format.
public struct DataFolder: Hashable, Sendable {
    public let path: String

    public init(_ path: String) { self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path }

    /// Flushed at every commit; ``derived`` follows from the events, except the thumbnails.
    public var log: String { path + "/log" }
    /// The folder in which a restore from increments assembles the log.
    public var assembledLog: String { path + "/log.assembled" }
    /// The wrapped data keys. Flushed at every commit; backed up apart from the log.
    public var keys: String { path + "/keys" }
    /// The newest signed checkpoint (a C2SP signed note). Backups copy it before the log.
    public var checkpoint: String { path + "/checkpoint" }
    /// A reader who does not trust this folder needs the key from another source.
    public var verifierKey: String { path + "/checkpoint.vkey" }
    /// Pictures, named by SHA-256. Flushed on arrival; backed up with the log.
    public var blobs: String { path + "/blobs" }
    /// Idempotency keys of requests that changed nothing, which are decided again without this ring file of at most 4 MiB.
    public var idleRequests: String { path + "/idle-requests" }
    /// Present while a server has an unsearched log open.
    public var uninspected: String { path + "/.uninspected" }
    /// Its time shows the age of the last backup.
    public var backupNote: String { path + "/last-backup" }
    /// Without full backups, the chain of increments grows and no old backup can be removed.
    public var fullBackupNote: String { path + "/last-full-backup" }
    /// Removed when the master secret is changed.
    public var keyBackupNote: String { path + "/last-key-backup" }
    /// Erasures after the restored position may be undone, so `doctor` warns until somebody removes the file.
    public var restoreNote: String { path + "/last-restore" }
    public var drillNote: String { path + "/last-drill" }
    /// Without secrets; removed when the server stops.
    public var runningSettings: String { path + "/running-settings" }
    /// The nodes of the cluster, as this one last saw them.
    public var clusterNodes: String { path + "/cluster-nodes" }
    /// May be deleted at any moment.
    public var derived: String { path + "/derived" }
    public var index: String { derived + "/index" }
    public var models: String { derived + "/models" }
    public var snapshots: String { derived + "/snapshots" }
    public var thumbnails: String { derived + "/thumbnails" }
    /// Created by development mode, with mode 0600.
    public var developmentSecret: String { path + "/master.key" }
}
