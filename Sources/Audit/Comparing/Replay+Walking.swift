internal import EventLog

extension Replay {
    /// Events between two calls of `step` where an audit goes through the log.
    static let eventsPerStep: UInt64 = 16_384

    /// Nothing folded yet, of one model.
    init(ofModel name: String, in log: EventLog) throws(AuditError) {
        try self.init(of: log, until: .position(.start), models: [name])
    }

    /// Folds up to a position, a stretch at a time, so that whoever folds beside a service can rest and end in between.
    ///
    /// - Parameter step: called between two stretches with the position; what it throws ends the walk.
    mutating func walk(to end: Position, step: (Position) throws(AuditError) -> Void) throws(AuditError) {
        while position < end {
            try step(position)
            try advance(until: .position(Position(min(end.rawValue, position.rawValue + Self.eventsPerStep))))
        }
    }
}
