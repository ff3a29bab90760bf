internal import Merkle

/// Makes and stores a checkpoint that continues the previous one. Not thread-safe.
struct CheckpointMaker: Sendable {
    let log: EventLog
    let file: CheckpointFile
    let signer: NoteSigner
    private let policy: TrustPolicy

    /// - Throws: ``EventLogError`` `.checkpointMismatch` for a `seed` of a wrong length.
    init(log: EventLog, file: CheckpointFile, seed: [UInt8]) throws(EventLogError) {
        do throws(MerkleError) { signer = try NoteSigner(name: log.origin, seed: seed) } catch {
            throw EventLogError(.checkpointMismatch, "no signer for \(log.origin): \(error).")
        }
        policy = TrustPolicy(signer.verifierKey)
        (self.log, self.file) = (log, file)
    }

    /// Verifies the stored checkpoint; the first value is nil if there is none to continue.
    ///
    /// - Parameters:
    ///   - accepting: the current time, if a checkpoint that does not fit the log is to be renamed.
    ///   - acceptance: words that tell the operator how to request `accepting`.
    func open(accepting: Timestamp?, acceptance: String?) throws(EventLogError) -> (TrustedCheckpoint?, CheckpointOpening) {
        guard let bytes = try file.read() else { return (nil, log.head == .start ? .first : .missing) }
        do throws(EventLogError) { return (try log.verify(checkpoint: bytes, by: signer.verifierKey), .continued) } catch {
            guard [.rolledBack, .checkpointMismatch, .checkpointDamaged].contains(error.code) else { throw error }
            guard let time = accepting else {
                // A damaged checkpoint says nothing of the log, so accepting another log is not the remedy.
                if error.code == .checkpointDamaged { throw EventLogError(error.code, "\(file.path): \(error.detail)") }
                throw acceptance.map { EventLogError(error.code, "\(error.detail) To accept it: \($0).") } ?? error
            }
            return (nil, .replaced(path: try file.setAside(at: time), reason: error))
        }
    }

    /// Returns `last` if it covers the events up to `head`.
    ///
    /// - Throws: ``EventLogError`` `.damaged`, with nothing signed, if the tree does not continue the last one; `.storage`.
    func next(after last: TrustedCheckpoint?, at head: Position) throws(EventLogError) -> TrustedCheckpoint {
        if let last, last.checkpoint.size >= head.rawValue { return last }
        let root = try log.root(through: head)
        if let last { try requireContinuation(of: last.checkpoint, to: head, root) }
        let next = try signed(head, root)
        // A crash here leaves the previous checkpoint; no reader has seen the new one.
        try file.keep(next.note)
        return next
    }

    /// Otherwise damage to older events would be signed as a second history.
    private func requireContinuation(of last: Checkpoint, to head: Position, _ root: NodeHash) throws(EventLogError) {
        let proof = try log.consistencyProof(from: Position(last.size), to: head)
        do throws(MerkleError) { try proof.verify(oldRoot: last.root, newRoot: root) } catch { throw EventLogError(tree: error) }
    }

    /// Verifies its own signature before publication.
    private func signed(_ head: Position, _ root: NodeHash) throws(EventLogError) -> TrustedCheckpoint {
        do throws(MerkleError) {
            let checkpoint = try Checkpoint(origin: log.origin, size: head.rawValue, root: root)
            return try policy.open(try checkpoint.signed(by: signer))
        } catch { throw EventLogError(tree: error) }
    }
}

/// The result of checking the stored checkpoint when its log was opened.
public enum CheckpointOpening: Sendable {
    /// The log's first start: it is empty, without a checkpoint.
    case first
    case continued
    /// There are events without a checkpoint: the log predates checkpoints, or the file was removed. Warn the operator.
    case missing
    /// The operator accepted a log that does not continue its checkpoint, for this reason; the checkpoint is now at `path`.
    case replaced(path: String, reason: EventLogError)
}

extension Timestamp {
    private static let microsecondsOfDay: Int64 = 86_400_000_000

    /// In UTC, such as `2026-11-21`, for file names.
    var day: String {
        var (days, year) = (Int(microseconds / Self.microsecondsOfDay), 1970)
        if microseconds < 0 { return "before-1970" }
        while days >= Self.days(of: year) {
            days -= Self.days(of: year)
            year += 1
        }
        var month = 1
        while days >= Self.days(of: month, in: year) {
            days -= Self.days(of: month, in: year)
            month += 1
        }
        return "\(year)-\(Self.twoDigits(month))-\(Self.twoDigits(days + 1))"
    }

    private static func isLeap(_ year: Int) -> Bool { year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) }

    private static func days(of year: Int) -> Int { isLeap(year) ? 366 : 365 }

    private static func days(of month: Int, in year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
