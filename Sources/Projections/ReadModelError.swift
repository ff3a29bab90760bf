public import EventLog
internal import LMDB

/// A failure of a read model, described for the operator's log, never for a client. A struct, so that new codes do not break callers.
public struct ReadModelError: Error, Sendable {
    public let code: Code
    public let model: String
    public let position: Position?
    public let eventType: String?
    public let detail: String
    private let causeRemedy: String?

    package init(
        _ code: Code, model: String, position: Position? = nil, eventType: String? = nil, isOutOfSpace: Bool = false,
        causeRemedy: String? = nil, _ detail: String
    ) {
        (self.code, self.model, self.position, self.eventType, self.detail) = (code, model, position, eventType, detail)
        (self.isOutOfSpace, self.causeRemedy) = (isOutOfSpace, causeRemedy)
    }

    public let isOutOfSpace: Bool
    /// Whether a running server tries again by itself.
    private(set) var isRetried = false

    /// The operator's next step. Without a retry it ends with the restart.
    public var remedy: String {
        if isRetried { return "Free space or raise the quota: the model then goes on by itself where it stopped." }
        return causeRemedy.map { "\($0) Then start again: the model goes on where it stopped." } ?? code.remedy
    }

    /// The error as that of a model whose runner tries again if there was no room.
    var retriedByRunner: ReadModelError {
        var error = self
        error.isRetried = isOutOfSpace
        return error
    }

    func at(_ position: Position, _ eventType: String) -> ReadModelError {
        if self.position != nil { return self }
        return ReadModelError(
            code, model: model, position: position, eventType: eventType, isOutOfSpace: isOutOfSpace, causeRemedy: causeRemedy, detail)
    }
}

extension ReadModelError: CustomStringConvertible {
    /// One line, such as "read model card-progress: event refused at position 17 (CardStamped): detail. remedy".
    public var description: String {
        let who = model.isEmpty ? "read models" : "read model \(model)"
        let place = position.map { " at position \($0)" + (eventType.map { " (\($0))" } ?? "") } ?? ""
        return "\(who): \(code.summary)\(place): \(detail). \(remedy)"
    }
}

extension ReadModelError {
    /// Wraps an error of a lower layer, unless it is a ``ReadModelError``.
    package init(any error: any Error, model: String) {
        switch error {
        case let error as ReadModelError: self = error
        case let error as LMDBError where Self.code(of: error) != .storage:
            self.init(Self.code(of: error), model: model, String(error.statement.dropLast()))
        case let error as EventLogError:
            let isTaken = error.storage.map { Self.code(of: $0) == .locked } ?? false
            self.init(isTaken ? .locked : .log, model: model, isOutOfSpace: error.isOutOfSpace, "\(error)")
        default: self.init(file: nil, error, model: model)
        }
    }

    /// Wraps an error of a file operation. `failed` is such as "cannot write PATH".
    package init(file failed: String?, _ error: any Error, model: String) {
        let place = failed.map { $0 + ": " } ?? ""
        if let error = error as? LMDBError {
            self.init(
                .storage, model: model, isOutOfSpace: error.code == .diskFull, causeRemedy: error.remedy,
                place + error.statement.dropLast())
        } else {
            let fault = FileFault(error)
            self.init(.storage, model: model, isOutOfSpace: fault == .full, causeRemedy: fault.remedy, "\(place)\(fault)")
        }
    }

    init(any error: any Error, model: String, at position: Position, of type: EventType, in log: EventLog) {
        self = ReadModelError(any: error, model: model).at(position, log.name(of: type) ?? "type \(type.rawValue)")
    }

    private static func code(of error: LMDBError) -> Code {
        switch error.code {
        case .damaged, .foreign: .damaged
        case .missing: .missing
        case .locked, .alreadyOpen: .locked
        default: .storage
        }
    }
}

extension ReadModelError {
    /// The kind of a failure. Switch with a `default`, because later versions may add kinds.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The kind's name.
        public let description: String
        let summary: String
        let remedy: String

        private init(_ name: String, _ summary: String, remedy: String) {
            (description, self.summary, self.remedy) = (name, summary, remedy)
        }

        /// The event does not decode, or names an entity that no earlier event created.
        public static let eventRefused = Code(
            "eventRefused", "event refused",
            remedy: "The other models go on; update the program to one that knows this event, then start it again.")
        public static let damaged = Code(
            "damaged", "the model is damaged",
            remedy: "Nothing to do: a running server rebuilds it from the log, or else the next start does. Look at the disk.")
        /// The model or generation does not exist, or this program does not read its schema version.
        public static let missing = Code(
            "missing", "not found",
            remedy: "Check the name and the data folder; a model is built when the server or greentea-rebuild first runs.")
        public static let storage = Code(
            "storage", "its storage failed",
            remedy: "Mend the cause that is named, then start again: the model goes on where it stopped.")
        public static let log = Code(
            "log", "reading the log failed",
            remedy: "See the log's own error; once the log can be read, start again: the model goes on where it stopped.")
        public static let keys = Code(
            "keys", "reading the keys failed",
            remedy: "Mend the keys as their own error says, then start again: the model goes on where it stopped.")
        /// The model's folder or the log is in use, usually by another process.
        public static let locked = Code(
            "locked", "another process is at work",
            remedy: "Stop the server that holds this data folder, then try again.")
        /// The new generation differs from the replay or its checksum, or belongs elsewhere. The old one is still served.
        public static let mismatch = Code(
            "mismatch", "the rebuilt model does not agree",
            remedy: "Nothing was switched; run greentea-replay --compare and report what it names.")
        public static let building = Code(
            "building", "another rebuild is at work",
            remedy: "Wait until that one has ended, or end it: the next one goes on where it was.")
        /// The server did not switch in time. If it had begun, it may still complete the switch.
        public static let unanswered = Code(
            "unanswered", "the server did not answer",
            remedy: "Look at the server's log, and at /readyz for what serves; then run it again: it goes on from there.")
        public static let refused = Code(
            "refused", "the server refused it",
            remedy: "Nothing was switched and the old generation serves; use the tool and the server of one release, then try again.")
        public static let removed = Code(
            "removed", "its files were removed",
            remedy: "Nothing to do: it is made again from the log. Stop the server before deleting derived data.")
        public static let tooMuch = Code(
            "tooMuch", "too many rows for one answer",
            remedy: "Ask for a shorter period; greentea-replay has no such limit.")
    }
}
