/// The named limits of this target, each with its unit and its reason.
public enum Limits {
    /// Bytes in the longest key; liblmdb is compiled with `MDB_MAXKEYSIZE` 511, and a longer key is refused by ``LMDBError``.
    public static let keyBytesMax = 511

    /// Bytes of address space reserved by default: more than derived data or keys of one machine need. Reserving costs no memory,
    /// but a process has 128 TiB to give, and one that opens hundreds of environments (a test run does) must not run out.
    public static let mapBytesDefault = 64 << 30

    /// Bytes below which a refused reservation is no longer halved: with less, the log would fill up while people watch.
    public static let mapBytesFloor = 1 << 30

    /// Write transactions between two checks for dead readers. A killed reader pins the pages of its snapshot, which cost 36 KiB a commit
    /// when it was measured: 9 MiB until the next check, which costs some microseconds.
    public static let commitsPerReaderCheck = 256

    /// Finished read transactions kept for reuse: more than the concurrent readers of a two-core machine, far fewer than slots.
    static let idleSnapshotsMax = 64

    /// Permission bits of created folders: the service's own account, and its group for auditors.
    static let directoryMode: UInt32 = 0o750

    /// Permission bits of created files.
    static let fileMode: UInt32 = 0o640
}
