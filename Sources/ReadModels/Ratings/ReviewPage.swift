public import EventLog

/// Some of a shop's reviews, newest first.
public struct ReviewPage: Hashable, Sendable {
    public let threads: [ReviewThread]
    /// What to ask for to go on; nil where this was the last page.
    public let next: Position?

    init(_ threads: [ReviewThread], next: Position?) {
        self.threads = threads
        self.next = next
    }
}
