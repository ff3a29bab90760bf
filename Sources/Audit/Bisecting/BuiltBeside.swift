internal import EventLog
internal import ReadModels

/// A model built by its own code and the replay that checks it, at one position, where both agree.
struct BuiltBeside<Model: Projection> {
    /// What became of going on.
    enum Step {
        case agreed(BuiltBeside)
        case parted(Parting)
    }

    /// How the two do not agree any more.
    struct Parting {
        /// They differ after this event.
        let position: Position
        /// Nil where the model's code refuses the event.
        let row: RowDifference?
        let refusal: ReadModelError?
    }

    let position: Position
    let built: ScratchModel<Model>
    private let replay: Replay
    private let scratch: ScratchFolder
    private let log: EventLog

    /// Before the first event.
    init(_ log: EventLog, in scratch: ScratchFolder) throws {
        (self.log, self.scratch) = (log, scratch)
        position = .start
        built = try ScratchModel(in: scratch.newPath, log: log)
        replay = try Replay(ofModel: Model.name, in: log)
    }

    private init(_ old: BuiltBeside, _ position: Position, _ built: ScratchModel<Model>, _ replay: Replay) {
        (self.position, self.built, self.replay) = (position, built, replay)
        (log, scratch) = (old.log, old.scratch)
    }

    /// Copies of both go on to a position; these stay where they are.
    func step(to end: Position, _ step: (Position) throws(AuditError) -> Void) throws -> Step {
        let built = try ScratchModel(in: scratch.newPath, log: log, copying: built)
        if let refusal = try built.advance(to: end, step: { try step($0) }) {
            return .parted(Parting(position: refusal.position ?? end, row: nil, refusal: refusal))
        }
        var replay = replay
        try replay.walk(to: end, step: step)
        if let row = try built.firstDifference(from: replay, step: { try step(end) }) {
            return .parted(Parting(position: end, row: row, refusal: nil))
        }
        return .agreed(BuiltBeside(self, end, built, replay))
    }
}
