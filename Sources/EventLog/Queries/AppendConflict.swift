/// Which events broke an ``AppendCondition``, and whether there is any use in trying again.
public struct AppendConflict: Hashable, Sendable, CustomStringConvertible {
    /// The events that match, oldest first: the first ``LogLimits/conflictPositionsMax`` of them; never empty.
    public let positions: [Position]
    /// The first item of the condition's query that the event at the first of the positions matches, counted from 0; nil when the
    /// query is ``Query/all``.
    public let item: Int?
    /// Whether reading again and deciding anew may succeed: so when the condition had an `after`. Without one any match at all breaks
    /// it, and events never go away.
    public let canRetryHelp: Bool

    /// A conflict. Public, so that a ``BatchDecider`` of the application can say so in the same words.
    public init(positions: [Position], item: Int?, canRetryHelp: Bool) {
        self.positions = positions
        self.item = item
        self.canRetryHelp = canRetryHelp
    }

    /// What happened, in one sentence without its end.
    public var description: String {
        let list = positions.map(\.description).joined(separator: ", ")
        let more = positions.count == LogLimits.conflictPositionsMax ? " and perhaps later ones" : ""
        let which = item.map { "the condition's query, the first of them its item \($0)" } ?? "the condition's query for any event"
        return "the events at \(list)\(more) match \(which)"
    }

    /// What to do about it, in one or two sentences.
    var remedy: String {
        canRetryHelp
            ? "Read what has happened since, and decide again."
            : "Do not try again: the condition allows no such event at any position, and what has happened stays."
    }
}
