extension Card {
    /// How many stamps it still takes: none once it is full, redeemed or discarded.
    public var room: Int {
        status == .collecting ? max(0, goal - stamps) : 0
    }

    /// Its newest position in the log, for `ETag` and `If-Match`.
    public var version: UInt64 {
        history.last?.position ?? 0
    }
}
