public import Merkle

extension EventLog {
    /// Checks that a signed checkpoint belongs to this log, and that the log continues it.
    ///
    /// The signature proves who made the checkpoint. The root proves that the checkpoint covers the first events of this log.
    ///
    /// - Parameter note: the bytes of a signed note.
    /// - Throws: ``EventLogError/Code-swift.struct/checkpointDamaged`` for bytes that are no checkpoint, or were changed after they were
    ///   signed; ``EventLogError/Code-swift.struct/checkpointMismatch`` for a checkpoint of another log, by another key or over other
    ///   events; ``EventLogError/Code-swift.struct/rolledBack`` if the log has fewer events than the checkpoint covers; the errors of
    ///   ``root(through:)``.
    public func verify(checkpoint note: [UInt8], by key: VerifierKey) throws(EventLogError) -> TrustedCheckpoint {
        let trusted = try Self.opened(note, by: TrustPolicy(origin: origin, logKeys: [key]))
        let checkpoint = trusted.checkpoint
        guard checkpoint.size <= head.rawValue else {
            throw EventLogError(.rolledBack, "a checkpoint was signed for \(checkpoint.size) events, but the log has \(head).")
        }
        guard try root(through: Position(checkpoint.size)) == checkpoint.root else {
            throw EventLogError(.checkpointMismatch, "the first \(checkpoint.size) events are not those that a checkpoint was signed for.")
        }
        return trusted
    }

    private static func opened(_ note: [UInt8], by policy: TrustPolicy) throws(EventLogError) -> TrustedCheckpoint {
        do throws(MerkleError) { return try policy.open(try SignedNote(note)) } catch {
            let why = "\(error.code): \(error.detail)"
            let isOfAnother = error.code == .unsigned || error.code == .wrongOrigin
            throw EventLogError(
                isOfAnother ? .checkpointMismatch : .checkpointDamaged, "the checkpoint of \(policy.origin) is not to be trusted (\(why)).")
        }
    }
}

extension EventLog {
    /// Throws unless a name is valid for a new log. Opening a log checks its name by the same rules.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/invalidOrigin``.
    public static func check(origin: String) throws(EventLogError) {
        try LogStorage.check(origin: origin)
    }
}
