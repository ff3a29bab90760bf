/// The limits of the storage layer.
public enum Limits {
    /// Bytes in the longest key: `MDB_MAXKEYSIZE` of the compiled liblmdb.
    public static let keyBytesMax = 511

    /// Bytes of address space reserved by default, which cost no memory. A process has 128 TiB, enough for hundreds of environments.
    public static let mapBytesDefault = 64 << 30

    /// The least address space, in bytes, to accept if the system refuses more.
    public static let mapBytesFloor = 1 << 30

    /// Write transactions between two checks for readers of killed processes, which keep pages from reuse: 36 KiB per commit.
    public static let commitsPerReaderCheck = 256

    /// More than the concurrent readers of two cores, far fewer than the reader slots.
    static let idleSnapshotsMax = 64

    /// Rows between two charges to a request's payers. Fewer cost about as much as the rest of a request.
    package static let rowsPerCharge = 128

    static let fileMode: UInt32 = 0o640
}
