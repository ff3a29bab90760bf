/// The limits of the storage layer, each with its unit and its reason.
public enum Limits {
    /// Bytes in the longest key. liblmdb is compiled with `MDB_MAXKEYSIZE` 511; a longer key causes an ``LMDBError``.
    public static let keyBytesMax = 511

    /// Bytes of address space that an environment reserves by default: more than the derived data or keys of one machine need. Reserving
    /// costs no memory. But a process has only 128 TiB of addresses, and they must suffice for hundreds of environments, as in a test run.
    public static let mapBytesDefault = 64 << 30

    /// The least address space, in bytes, to accept when the system refuses more. With less, a log would fill up too soon.
    public static let mapBytesFloor = 1 << 30

    /// The number of write transactions between two checks for readers whose process was killed. Until the check, the snapshot of such a
    /// reader keeps its pages from being reused. Meanwhile the file grows: a measurement found 36 KiB for each commit, so 9 MiB until the
    /// next check. A check costs some microseconds.
    public static let commitsPerReaderCheck = 256

    /// The maximum number of finished read transactions that are kept for reuse: more than the concurrent readers of a two-core machine,
    /// and far fewer than the reader slots.
    static let idleSnapshotsMax = 64

    /// Rows that a request looks at between two charges to its payers. A request that looks at fewer is never charged: it costs about as
    /// much as the rest of the request.
    package static let rowsPerCharge = 128

    /// Permission bits of created folders: the service's own account has all rights, and its group may read, so that auditors can be put
    /// into that group.
    static let directoryMode: UInt32 = 0o750

    /// Permission bits of created files.
    static let fileMode: UInt32 = 0o640
}
