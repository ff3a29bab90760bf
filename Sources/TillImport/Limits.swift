/// The limits of this target, with their units.
enum Limits {
    /// Seconds by which a visit may be ahead of this machine's clock.
    static let futureSecondsMax: Int64 = 3_600
    /// Bytes of one record. A longer one usually has an open quotation mark, and would extend to the end of the file.
    static let recordBytesMax = 65_536
    static let chunkBytes = 65_536
    /// Bytes of the shop's name, which the identity text of a customer contains beside the customer's own.
    static let nameBytesMax = 100
    /// Bytes of an identity text. Once encrypted, it must fit into the field of a phone number.
    static let identityBytesMax = 200
    /// Visits of one file, sorted in memory at 24 bytes each: half a gigabyte.
    static let visitsMax = 20_000_000
    /// Visits whose commands share commits. More would only make the progress bar jump.
    static let batchVisitsMax = 256
    static let retriesMax = 1_000
    /// Milliseconds between attempts: longer than the writer needs for a batch.
    static let retryMilliseconds = 5
}
