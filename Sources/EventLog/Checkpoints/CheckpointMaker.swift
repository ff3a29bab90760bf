internal import Merkle

/// Makes one checkpoint from the one before, and stores it. Not for two threads at once.
struct CheckpointMaker: Sendable {
    let log: EventLog
    let file: CheckpointFile
    let signer: NoteSigner
    private let policy: TrustPolicy

    /// - Throws: ``EventLogError/Code-swift.struct/checkpointMismatch`` for a seed of another length.
    init(log: EventLog, file: CheckpointFile, seed: [UInt8]) throws(EventLogError) {
        do throws(MerkleError) { signer = try NoteSigner(name: log.origin, seed: seed) } catch {
            throw EventLogError(.checkpointMismatch, "no signer for \(log.origin): \(error).")
        }
        policy = TrustPolicy(signer.verifierKey)
        (self.log, self.file) = (log, file)
    }

    /// The kept checkpoint, verified; nil if there is none to continue.
    ///
    /// - Parameters:
    ///   - accepting: the present time, if a checkpoint that does not fit is to be set aside.
    ///   - acceptance: how an operator asks for that; the end of the error's detail.
    /// - Throws: as ``EventLog/verify(checkpoint:by:)``, unless accepted.
    func open(accepting: Timestamp?, acceptance: String?) throws(EventLogError) -> (TrustedCheckpoint?, CheckpointOpening) {
        guard let bytes = try file.read() else { return (nil, log.head == .start ? .first : .missing) }
        do throws(EventLogError) { return (try log.verify(checkpoint: bytes, by: signer.verifierKey), .continued) } catch {
            guard error.code == .rolledBack || error.code == .checkpointMismatch else { throw error }
            guard let time = accepting else {
                throw acceptance.map { EventLogError(error.code, "\(error.detail) To accept it: \($0).") } ?? error
            }
            return (nil, .replaced(path: try file.setAside(at: time), reason: error))
        }
    }

    /// The checkpoint at a head, stored: `last` itself where that covers it already.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/damaged`` when the tree does not continue the last one; nothing is signed then.
    ///   ``EventLogError/Code-swift.struct/storage`` when it cannot be stored.
    func next(after last: TrustedCheckpoint?, at head: Position) throws(EventLogError) -> TrustedCheckpoint {
        if let last, last.checkpoint.size >= head.rawValue { return last }
        let root = try log.root(through: head)
        if let last { try requireContinuation(of: last.checkpoint, to: head, root) }
        let next = try signed(head, root)
        // A crash before this returns leaves the last checkpoint, and this one was not published.
        try file.keep(next.note)
        return next
    }

    /// The tree's own proof must lead from the signed root to the new one: damage below must not become a second history.
    private func requireContinuation(of last: Checkpoint, to head: Position, _ root: NodeHash) throws(EventLogError) {
        let proof = try log.consistencyProof(from: Position(last.size), to: head)
        do throws(MerkleError) { try proof.verify(oldRoot: last.root, newRoot: root) } catch { throw EventLogError(tree: error) }
    }

    /// Signs, and verifies the signature before it is published.
    private func signed(_ head: Position, _ root: NodeHash) throws(EventLogError) -> TrustedCheckpoint {
        do throws(MerkleError) {
            let checkpoint = try Checkpoint(origin: log.origin, size: head.rawValue, root: root)
            return try policy.open(try checkpoint.signed(by: signer))
        } catch { throw EventLogError(tree: error) }
    }
}

/// The result of checking the kept checkpoint when its log was opened.
public enum CheckpointOpening: Sendable {
    /// There was no kept checkpoint, and the log is empty: this is its first start.
    case first
    /// The log continues it.
    case continued
    /// There is no checkpoint, but there are events: the log is older than checkpoints, or the file was removed. Tell the operator.
    case missing
    /// The log does not continue it, for this reason, and the operator has accepted that: it lies now at this path.
    case replaced(path: String, reason: EventLogError)
}

extension Timestamp {
    private static let microsecondsOfDay: Int64 = 86_400_000_000

    /// The day in UTC as people write it, `2026-11-21`, for names of files.
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

    private static func isLeap(_ year: Int) -> Bool {
        year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    }

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
