/// The limits of this layer, each with its unit and reason.
enum Limits {
    /// Seconds that a visit may be ahead of this machine's time: clocks differ.
    static let futureSecondsMax: Int64 = 3_600
    /// Bytes of one record, line ends inside quotes included. A till writes a hundred; what is longer is a quote that never
    /// closes, and must not take the memory or the rest of the file with it.
    static let recordBytesMax = 65_536
    /// Bytes read at once.
    static let chunkBytes = 65_536
    /// Bytes of the name that is given on the command line, so that every customer's identity below has room for the customer.
    static let nameBytesMax = 100
    /// Bytes of an identity text: sealed, it must fit where a phone number goes.
    static let identityBytesMax = 200
    /// Visits of one file. They are held in memory while they are put in the order of time, at 24 bytes each: half a gigabyte.
    static let visitsMax = 20_000_000
    /// Visits under way at once. Their commands share commits; more would only make the progress bar jump.
    static let batchVisitsMax = 256
    /// How often a refusal for want of room in the writer's queue is tried again, at `retryMilliseconds`.
    static let retriesMax = 1_000
    /// Milliseconds between those tries: a batch of the writer's takes less.
    static let retryMilliseconds = 5
}
