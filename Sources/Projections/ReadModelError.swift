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
        self.code = code
        self.causeRemedy = causeRemedy
        self.isOutOfSpace = isOutOfSpace
        self.model = model
        self.position = position
        self.eventType = eventType
        self.detail = detail
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
        private let kind: Kind

        /// The event does not decode, or names an entity that no earlier event created.
        public static let eventRefused = Code(kind: .eventRefused)
        public static let damaged = Code(kind: .damaged)
        /// The model or generation does not exist, or this program does not read its schema version.
        public static let missing = Code(kind: .missing)
        public static let storage = Code(kind: .storage)
        public static let log = Code(kind: .log)
        public static let keys = Code(kind: .keys)
        /// The model's folder or the log is in use, usually by another process.
        public static let locked = Code(kind: .locked)
        /// The new generation differs from the replay or its checksum, or belongs elsewhere. The old one is still served.
        public static let mismatch = Code(kind: .mismatch)
        public static let building = Code(kind: .building)
        /// The server did not switch in time. If it had begun, it may still complete the switch.
        public static let unanswered = Code(kind: .unanswered)
        public static let refused = Code(kind: .refused)
        public static let removed = Code(kind: .removed)
        public static let tooMuch = Code(kind: .tooMuch)

        public var description: String { kind.rawValue }

        var summary: String {
            switch kind {
            case .eventRefused: "event refused"
            case .damaged: "the model is damaged"
            case .missing: "not found"
            case .storage: "its storage failed"
            case .log: "reading the log failed"
            case .keys: "reading the keys failed"
            case .locked: "another process is at work"
            case .mismatch: "the rebuilt model does not agree"
            case .building: "another rebuild is at work"
            case .unanswered: "the server did not answer"
            case .refused: "the server refused it"
            case .removed: "its files were removed"
            case .tooMuch: "too many rows for one answer"
            }
        }

        var remedy: String {
            switch kind {
            case .eventRefused: "The other models go on; update the program to one that knows this event, then start it again."
            case .damaged: "Nothing to do: a running server rebuilds it from the log, or else the next start does. Look at the disk."
            case .missing: "Check the name and the data folder; a model is built when the server or greentea-rebuild first runs."
            case .storage: "Mend the cause that is named, then start again: the model goes on where it stopped."
            case .log: "See the log's own error; once the log can be read, start again: the model goes on where it stopped."
            case .keys: "Mend the keys as their own error says, then start again: the model goes on where it stopped."
            case .locked: "Stop the server that holds this data folder, then try again."
            case .mismatch: "Nothing was switched; run greentea-replay --compare and report what it names."
            case .building: "Wait until that one has ended, or end it: the next one goes on where it was."
            case .unanswered: "Look at the server's log, and at /readyz for what serves; then run it again: it goes on from there."
            case .refused: "Nothing was switched and the old generation serves; use the tool and the server of one release, then try again."
            case .removed: "Nothing to do: it is made again from the log. Stop the server before deleting derived data."
            case .tooMuch: "Ask for a shorter period; greentea-replay has no such limit."
            }
        }

        private enum Kind: String, Sendable {
            case eventRefused, damaged, missing, storage, log, keys, locked, mismatch, building, unanswered, refused, tooMuch, removed
        }
    }
}
