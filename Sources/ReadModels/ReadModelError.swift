public import EventLog
internal import LMDB
internal import LoyaltyCodec

/// What went wrong in a read model: which model, where in the log, why, and what to do about it.
///
/// One struct with an opaque code, so that a new code is not a breaking change. The description is for the operator's log,
/// never for a client of the service.
public struct ReadModelError: Error, Sendable {
    /// The class of the failure, for callers that act on it.
    public let code: Code
    /// The model's name; empty where no single model is to blame.
    public let model: String
    /// The event at which it happened, where one is to blame.
    public let position: Position?
    /// The name or number of that event's type.
    public let eventType: String?
    /// What exactly was found.
    public let detail: String

    package init(_ code: Code, model: String, position: Position? = nil, eventType: String? = nil, _ detail: String) {
        self.code = code
        self.model = model
        self.position = position
        self.eventType = eventType
        self.detail = detail
    }

    /// One sentence that tells the operator what to do.
    public var remedy: String { code.remedy }

    /// The same failure, said to have happened at an event: what `apply` itself need not know.
    func at(_ position: Position, _ eventType: String) -> ReadModelError {
        if self.position != nil { return self }
        return ReadModelError(code, model: model, position: position, eventType: eventType, detail)
    }
}

extension ReadModelError: CustomStringConvertible {
    /// "read model card-progress: event refused at position 17 (CardStamped): detail. remedy"
    public var description: String {
        let who = model.isEmpty ? "read models" : "read model \(model)"
        let place = position.map { " at position \($0)" + (eventType.map { " (\($0))" } ?? "") } ?? ""
        return "\(who): \(code.summary)\(place): \(detail). \(remedy)"
    }
}

extension ReadModelError {
    /// The error of a layer below, or one of this layer as it is.
    package init(any error: any Error, model: String) {
        switch error {
        case let error as ReadModelError: self = error
        case let error as LMDBError: self.init(Self.code(of: error), model: model, "\(error)")
        case let error as EventLogError:
            let isTaken = error.storage.map { Self.code(of: $0) == .locked } ?? false
            self.init(isTaken ? .locked : .log, model: model, "\(error)")
        default: self.init(.storage, model: model, "\(FileFault(error))")
        }
    }

    /// The same for what an event brought about, with its place in the log.
    init(any error: any Error, model: String, at position: Position, of type: EventType, in log: EventLog) {
        let name = log.name(of: type) ?? "type \(type.rawValue)"
        if let error = error as? CodecError {
            self.init(.eventRefused, model: model, position: position, eventType: name, "\(error.detail). \(error.remedy)")
        } else {
            self = ReadModelError(any: error, model: model).at(position, name)
        }
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
