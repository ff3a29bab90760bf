/// The paths in a data folder. The folders' names are part of the format.
public struct DataFolder: Hashable, Sendable {
    /// The folder's own path, without a trailing slash.
    public let path: String

    public init(_ path: String) {
        self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    /// The events by position, from which everything in ``derived`` except the thumbnails follows. Flushed at every commit.
    public var log: String { path + "/log" }
    /// The wrapped data keys of accounts and shops. Flushed at every commit; backed up separately from the log.
    public var keys: String { path + "/keys" }
    /// The newest signed checkpoint (a C2SP signed note). It belongs to the log and to its backups, which copy it before the log.
    public var checkpoint: String { path + "/checkpoint" }
    /// The key that verifies checkpoints, as text. A reader who does not trust this folder must get the key from another source.
    public var verifierKey: String { path + "/checkpoint.vkey" }
    /// Pictures, each named by its SHA-256. Flushed on arrival; backed up with the log.
    public var blobs: String { path + "/blobs" }
    /// The idempotency keys of requests that changed nothing, in a ring file of at most 4 MiB. Backups leave the file out; without it, such
    /// a request is decided again.
    public var idleRequests: String { path + "/idle-requests" }
    /// A file that is there while a server has the log open and has not searched its pages for damage.
    public var uninspected: String { path + "/.uninspected" }
    /// A file that is written after each successful backup. Its time shows the age of the last backup.
    public var backupNote: String { path + "/last-backup" }
    /// A file that is written after each successful full backup. Without full backups the chain of increments grows, and no old backup can
    /// be removed.
    public var fullBackupNote: String { path + "/last-full-backup" }
    /// A file that is written after each copy of the keys, and removed when the master secret is changed.
    public var keyBackupNote: String { path + "/last-key-backup" }
    /// A file that is written after each restore, with the position to which the log was restored. Erasures after that position may be
    /// undone, so `doctor` warns until somebody removes the file.
    public var restoreNote: String { path + "/last-restore" }
    /// A file that is written after each successful drill, in which a backup is restored on trial.
    public var drillNote: String { path + "/last-drill" }
    /// The settings of the server that runs on the folder, without secrets; removed when the server stops.
    public var runningSettings: String { path + "/running-settings" }
    /// The folder with everything that may be deleted at any moment, because it can be computed again.
    public var derived: String { path + "/derived" }
    /// The tag index.
    public var index: String { derived + "/index" }
    /// One folder for each read model.
    public var models: String { derived + "/models" }
    /// Copies of read models as of earlier positions.
    public var snapshots: String { derived + "/snapshots" }
    /// Pictures in smaller sizes.
    public var thumbnails: String { derived + "/thumbnails" }
    /// The master secret that development mode creates, with mode 0600.
    public var developmentSecret: String { path + "/master.key" }
}
