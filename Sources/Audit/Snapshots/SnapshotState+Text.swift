internal import LoyaltyCodec

extension SnapshotState {
    /// One line for people.
    public var line: String {
        "\(name)  position \(position)  rows \(rows.map { "\($0)" } ?? "unknown")  bytes \(bytes)  "
            + (fault.map { "not used: it \($0)" } ?? "usable")
    }

    /// One JSON object.
    public var json: String {
        JSONText.object([
            ("snapshot", JSONText.string(name)), ("position", "\(position)"), ("rows", rows.map { "\($0)" } ?? "null"),
            ("bytes", "\(bytes)"), ("fault", fault.map { JSONText.string($0) } ?? "null"),
        ])
    }
}
