public import EventLog
internal import LMDB
internal import LoyaltyCodec
internal import Merkle
internal import Projections
internal import ReadModels

/// The reason why an audit or another operation on a data folder failed: what happened, where, and its remedy. A difference that an audit
/// finds is a result and not an error.
public struct AuditError: Error, Sendable, CustomStringConvertible {
    /// The kind of a failure. Compare kinds with `==`, because later versions may add kinds.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        /// Something that the operation needs does not exist, such as the log, the keys, a model, a checkpoint's file or a table.
        public static let missing = Code(description: "missing")
        /// The log cannot be read, or it cannot be opened for writing because a server has it open. Errors that have no code of their own
        /// also get this code.
        public static let log = Code(description: "log")
        /// The bytes of the log or of a backup differ from those that were stored.
        public static let damaged = Code(description: "damaged")
        /// An event does not decode, or contradicts earlier events: for example, it names an object that no earlier event created.
        public static let event = Code(description: "event")
        /// There is no verifier key, no signed checkpoint, or no checkpoint that covers the requested position.
        public static let unproved = Code(description: "unproved")
        /// A checkpoint or a published tree is not of this log, was altered, or is newer than the log.
        public static let checkpoint = Code(description: "checkpoint")
        /// A file, a folder or another output cannot be written.
        public static let output = Code(description: "output")
        /// A read model cannot be read.
        public static let model = Code(description: "model")
        /// The output folder or file exists already, or another process is using it.
        public static let occupied = Code(description: "occupied")
        /// The keys belong to another log than the one in the data folder or the backup.
        public static let foreignKeys = Code(description: "foreignKeys")
        /// The disk has not enough room.
        public static let space = Code(description: "space")
        /// The operation would remove events that readers may have seen, or the log has lost events that its backup has.
        public static let backwards = Code(description: "backwards")
        /// The input is invalid: for example, a file was truncated or changed, its events are of another log, or an option does not fit the
        /// log.
        public static let input = Code(description: "input")
        /// The operation was stopped before its end, for example because the server stops.
        public static let stopped = Code(description: "stopped")
        /// A rebuild has put another generation of the model into use.
        static let replaced = Code(description: "replaced")
    }

    public let code: Code
    /// The details of the failure.
    public let detail: String
    /// The position of the event that the failure is about; nil if it is about no event.
    public let position: Position?
    /// One sentence that tells the operator what to do.
    public let remedy: String

    public init(_ code: Code, _ detail: String, position: Position? = nil, remedy: String) {
        (self.code, self.detail, self.position, self.remedy) = (code, detail, position, remedy)
    }

    /// The code, the position, the detail and the remedy in one line.
    public var description: String {
        "\(code)\(position.map { " at position \($0)" } ?? ""): \(detail) \(remedy)"
    }

    /// Converts an error of a lower layer. An ``AuditError`` is copied unchanged.
    package init(any error: any Error) {
        switch error {
        case let error as AuditError: self = error
        case let error as EventLogError:
            let code = Code(error)
            let remedy = code == .damaged ? Self.damageRemedy : error.remedy
            self.init(code, error.detail, position: error.position, remedy: remedy)
        case let error as MerkleError: self.init(.log, error.detail + ".", remedy: error.remedy)
        case let error as LMDBError: self.init(any: EventLogError(error))
        case let error as CodecError:
            self.init(.event, error.detail + ".", position: error.position.map { Position($0) }, remedy: error.remedy)
        case let error as ReadModelError:
            self.init(error.code == .missing ? .missing : .model, error.detail + ".", position: error.position, remedy: error.remedy)
        default:
            let fault = FileFault(error)
            self.init(.log, "\(fault).", remedy: fault.remedy)
        }
    }

    /// Creates the error for a file or folder that cannot be written, from the error of the file system.
    public init(writing what: String, _ error: any Error) {
        let error = AuditError(any: error)
        self.init(.output, "cannot write \(what): \(error.detail)", remedy: error.remedy)
    }

    /// The remedy for a damaged log.
    package static let damageRemedy = "Run `greentea-audit verify`, then do as the runbook says under The log is damaged."

    /// Creates the error for a data folder whose keys are missing.
    public static func noKeys(in path: String) -> AuditError {
        AuditError(
            .missing, "there are no keys in \(path).",
            remedy: "Put them back, as the folder's owner: cp -a COPY/. \(path) (the runbook, The keys are gone).")
    }

    /// Creates the error for damage to the log's data of one position.
    package static func damaged(_ what: String, at position: Position) -> AuditError {
        AuditError(.damaged, "\(what).", position: position, remedy: damageRemedy)
    }

    /// Creates the error for an event that was changed after it was stored, or whose hash in the tree was changed.
    package static func changedRecord(at position: Position) -> AuditError {
        damaged("the record is not the one whose hash the tree stores", at: position)
    }
}

extension AuditError.Code {
    /// Converts an error of the log.
    fileprivate init(_ error: EventLogError) {
        switch error.code {
        case .missing, .logLost: self = .missing
        case .rolledBack, .checkpointMismatch, .checkpointDamaged: self = .checkpoint
        case .damaged: self = .damaged
        case .storage where error.storage?.code == .damaged: self = .damaged
        case .storage where error.storage?.code == .diskFull: self = .space
        default: self = .log
        }
    }
}
