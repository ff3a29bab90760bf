internal import LoyaltyCodec

extension SnapshotState {
    /// One line for people.
    public var line: String { line(faultless: "usable") }

    /// One line for people, of one that was compared with the log.
    public var checkedLine: String { line(faultless: "equal to the log") }

    private func line(faultless: String) -> String {
        "\(name)  position \(position)  rows \(rows.map { "\($0)" } ?? "unknown")  bytes \(bytes)  "
            + (fault.map { "not used: it \($0)" } ?? faultless)
    }

    /// One JSON object.
    public var json: String {
        JSONText.object([
            ("snapshot", JSONText.string(name)), ("position", "\(position)"), ("rows", rows.map { "\($0)" } ?? "null"),
            ("bytes", "\(bytes)"), ("fault", fault.map { JSONText.string($0) } ?? "null"),
        ])
    }
}
