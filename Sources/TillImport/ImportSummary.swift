/// What an import came to. All but `events` and `seconds` describe the file, so a second import of it says the same.
public struct ImportSummary: Hashable, Sendable {
    /// Well-formed rows, those without a customer included.
    public internal(set) var visits = 0
    /// Well-formed rows without a customer: paid in cash, no stamp.
    public internal(set) var skipped = 0
    /// Rows that were reported and left out.
    public internal(set) var malformed = 0
    /// Customers.
    public internal(set) var accounts = 0
    public internal(set) var shops = 0
    public internal(set) var stamps = 0
    /// Cards opened.
    public internal(set) var cards = 0
    /// Cards that reached their goal, redeemed ones included.
    public internal(set) var full = 0
    public internal(set) var redeemed = 0
    /// Events that this import added to the log.
    public internal(set) var events = 0
    /// How long it took.
    public internal(set) var seconds = 0.0

    /// Name and figure of each, in the order of the report.
    public var figures: [(name: String, text: String)] {
        [
            ("visits", "\(visits)"), ("skipped", "\(skipped)"), ("malformed", "\(malformed)"), ("accounts", "\(accounts)"),
            ("shops", "\(shops)"), ("stamps", "\(stamps)"), ("cards", "\(cards)"), ("full", "\(full)"), ("redeemed", "\(redeemed)"),
            ("events", "\(events)"), ("seconds", "\((seconds * 1_000).rounded() / 1_000)"),
        ]
    }

    /// One JSON object on one line; every figure is a number.
    public var json: String {
        "{" + figures.map { "\"\($0.name)\":\($0.text)" }.joined(separator: ",") + "}"
    }
}
