public import LMDB

/// Why the log could not do what was asked: what happened, where, and what to do about it.
///
/// The text is complete and for the operator's log; it holds no payload and no tag value, but it does hold paths.
public struct EventLogError: Error, Sendable, CustomStringConvertible {
    /// The class of the failure.
    public let code: Code
    /// What exactly happened, in English.
    public let detail: String
    /// The record it is about, if it is about one.
    public let position: Position?
    /// What broke an append condition; with ``Code-swift.struct/conditionFailed``.
    public let conflict: AppendConflict?
    /// What the storage layer said, if it was the one to fail.
    public let storage: LMDBError?

    /// An error of this layer. Public, so that another ``BatchDurability`` can say what went wrong.
    public init(
        _ code: Code, _ detail: String, position: Position? = nil, conflict: AppendConflict? = nil, storage: LMDBError? = nil
    ) {
        self.code = code
        self.detail = detail
        self.position = position
        self.conflict = conflict
        self.storage = storage
    }

    /// The storage layer failed where this layer has nothing to add.
    public init(_ error: LMDBError) {
        self.init(.storage, error.statement, storage: error)
    }

    /// The storage layer failed while a log was being opened, where some of its codes say more.
    init(opening error: LMDBError) {
        switch error.code {
        case .missing: self.init(.missing, "\(error.path) (\(error.call): \(error.text)).")
        case .foreign: self.init(.notALog, "\(error.path) (\(error.call): \(error.text)).")
        case .damaged: self.init(.damaged, "\(error.path) (\(error.call): \(error.text)).")
        default: self.init(error)
        }
    }

    /// An append that must not happen.
    init(_ conflict: AppendConflict) {
        self.init(.conditionFailed, "\(conflict).", conflict: conflict)
    }

    /// The writer did not decide, or its commit failed.
    init(_ refusal: GroupCommitRefusal) {
        switch refusal {
        case .queueFull: self.init(.queueFull, "too many appends wait already.")
        case .stopped: self.init(.stopped, "the writer is stopping, or a commit failed.")
        }
    }

    /// Whatever came out of this layer's own code, where the compiler no longer knows.
    init(any error: any Error) {
        switch error {
        case let error as EventLogError: self = error
        case let error as LMDBError: self.init(error)
        default: self.init(.storage, "\(error)")
        }
    }

    /// What to do about it, in one or two sentences.
    public var remedy: String { storage?.remedy ?? conflict?.remedy ?? code.kind.remedy }

    /// Code, detail, position and remedy in one line.
    public var description: String {
        let place = position.map { " at position \($0)" } ?? ""
        return "\(code)\(place): \(detail) \(code == .storage && storage == nil ? "" : remedy)"
    }
}
