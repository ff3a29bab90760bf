public import Merkle

extension EventLog {
    /// Checks that a signed checkpoint belongs to this log, and that the log continues it.
    ///
    /// - Parameter note: the bytes of a signed note.
    /// - Throws: ``EventLogError`` `.checkpointDamaged` for bytes that are not those signed; `.checkpointMismatch` for another log, key or
    ///   other events; `.rolledBack` if the log has fewer events; the errors of ``root(through:)``.
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
    /// Throws unless a name is valid for a log.
    ///
    /// - Throws: ``EventLogError`` `.invalidOrigin`.
    public static func check(origin: String) throws(EventLogError) { try LogStorage.check(origin: origin) }
}
