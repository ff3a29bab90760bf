/// The limits of this target, with their units and most of their reasons.
enum Limits {
    /// The number of seconds by which a visit may be ahead of this machine's clock, because clocks differ.
    static let futureSecondsMax: Int64 = 3_600
    /// The maximum number of bytes of one record, including line ends inside quotation marks. A till writes about a hundred bytes. A record
    /// that exceeds the limit usually has a quotation mark that is never closed, and would otherwise extend to the end of the file.
    static let recordBytesMax = 65_536
    /// The number of bytes of the file that are read at once.
    static let chunkBytes = 65_536
    /// The maximum number of bytes of the shop's name on the command line. The identity text of a customer contains this name, and must
    /// also have room for the customer's own name.
    static let nameBytesMax = 100
    /// The maximum number of bytes of an identity text. Once encrypted, it must fit into the field of a phone number.
    static let identityBytesMax = 200
    /// The maximum number of visits in one file. They are held in memory for sorting by time, at 24 bytes each: half a gigabyte.
    static let visitsMax = 20_000_000
    /// The maximum number of visits whose commands are offered together and share commits. A larger number would only make the progress bar
    /// jump.
    static let batchVisitsMax = 256
    /// The maximum number of attempts to execute a command while the writer's queue is full, one every `retryMilliseconds`.
    static let retriesMax = 1_000
    /// Milliseconds between retries: longer than the writer needs for a batch.
    static let retryMilliseconds = 5
}
