public import EventLog
internal import LMDB
internal import LoyaltyCodec
internal import Merkle
internal import Projections
internal import ReadModels

/// The reason why an operation on a data folder failed, with its place and remedy. A difference that an audit finds is a result, not an
/// error.
public struct AuditError: Error, Sendable, CustomStringConvertible {
    /// The kind of a failure. Compare kinds with `==`, because later versions may add kinds.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        /// Something that the operation needs does not exist.
        public static let missing = Code(description: "missing")
        /// The log cannot be read, or a server has it open for writing. Also for errors without a code of their own.
        public static let log = Code(description: "log")
        public static let damaged = Code(description: "damaged")
        /// The file of the log was removed; other files of the folder are of that log.
        public static let logLost = Code(description: "logLost")
        /// An event does not decode, or contradicts earlier events.
        public static let event = Code(description: "event")
        /// There is no verifier key, or no checkpoint that covers the position.
        public static let unproved = Code(description: "unproved")
        public static let checkpoint = Code(description: "checkpoint")
        public static let output = Code(description: "output")
        public static let model = Code(description: "model")
        public static let occupied = Code(description: "occupied")
        public static let foreignKeys = Code(description: "foreignKeys")
        public static let space = Code(description: "space")
        /// The operation would remove events that readers may have seen, or the log has lost events of its backup.
        public static let backwards = Code(description: "backwards")
        /// The input is malformed, of another log, or does not fit the log.
        public static let input = Code(description: "input")
        /// The operation was stopped, for example because the server stops.
        public static let stopped = Code(description: "stopped")
        static let replaced = Code(description: "replaced")
    }

    public let code: Code
    public let detail: String
    /// The position of the event, if the failure is about one.
    public let position: Position?
    /// One sentence for the operator.
    public let remedy: String

    public init(_ code: Code, _ detail: String, position: Position? = nil, remedy: String) {
        (self.code, self.detail, self.position, self.remedy) = (code, detail, position, remedy)
    }

    public var description: String { "\(code)\(position.map { " at position \($0)" } ?? ""): \(detail) \(remedy)" }

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

    package static let damageRemedy = "Do as the runbook says under The log is damaged."

    /// Creates the error for a data folder without keys.
    public static func noKeys(in path: String) -> AuditError {
        AuditError(
            .missing, "there are no keys in \(path).", remedy: "\(RemovedFile.remedy(ofKeys: path)) (the runbook, The keys are gone).")
    }

    /// Creates the error for damage at one position.
    package static func damaged(_ what: String, at position: Position) -> AuditError {
        AuditError(.damaged, "\(what).", position: position, remedy: damageRemedy)
    }

    /// Creates the error for a record that does not match its hash in the tree.
    package static func changedRecord(at position: Position) -> AuditError {
        damaged("the record is not the one whose hash the tree stores", at: position)
    }
}

extension AuditError.Code {
    fileprivate init(_ error: EventLogError) {
        switch error.code {
        case .missing: self = .missing
        case .logLost: self = .logLost
        case .rolledBack, .checkpointMismatch, .checkpointDamaged: self = .checkpoint
        case .damaged: self = .damaged
        case .storage where error.storage?.code == .damaged: self = .damaged
        case .storage where error.storage?.code == .diskFull: self = .space
        default: self = .log
        }
    }
}
