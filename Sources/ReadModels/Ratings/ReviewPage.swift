public import EventLog

/// Some of a shop's reviews, newest first.
public struct ReviewPage: Hashable, Sendable {
    public let threads: [ReviewThread]
    /// What to ask for to go on; nil where this was the last page.
    public let next: Position?

    /// - Parameter found: up to one more than `limit`, the last of which only tells that there is more.
    init(_ found: [ReviewThread], limit: Int) {
        threads = Array(found.prefix(limit))
        next = found.count > limit ? threads.last.map { Position($0.position) } : nil
    }
}
