/// The keys that a verifier trusts for one log, and the number of witnesses that must have cosigned.
///
/// A witness's signature never replaces the log's, because they make different statements.
public struct TrustPolicy: Sendable, Hashable {
    /// The log's name as in its checkpoints.
    public let origin: ExactText
    /// The log's keys, at least one of which must have signed.
    public let logKeys: [VerifierKey]
    /// The keys of trusted witnesses, whose signatures are verified.
    public let witnesses: [VerifierKey]
    public let witnessesMin: Int

    public init(origin: String, logKeys: [VerifierKey], witnesses: [VerifierKey] = [], witnessesMin: Int = 0) {
        self.origin = ExactText(origin)
        (self.logKeys, self.witnesses, self.witnessesMin) = (logKeys, witnesses, witnessesMin)
    }

    /// Trusts one log by its only key, whose name is the origin.
    public init(_ logKey: VerifierKey) { self.init(origin: logKey.name.string, logKeys: [logKey]) }

    /// Verifies a note and returns its checkpoint.
    ///
    /// - Throws: ``MerkleError`` as ``SignedNote/verifiedSignatures(by:)``; `.unsigned` also if only witnesses have signed;
    ///   `.malformedCheckpoint`, `.wrongOrigin`, `.tooFewWitnesses`.
    public func open(_ note: SignedNote) throws(MerkleError) -> TrustedCheckpoint {
        let verified = try note.verifiedSignatures(by: logKeys + witnesses)
        guard verified.contains(where: { logKeys.contains($0.key) }) else { throw MerkleError(.unsigned, "only witnesses have signed") }
        let checkpoint = try Checkpoint(text: note.text.string)
        guard checkpoint.origin == origin else { throw MerkleError(.wrongOrigin, "not a checkpoint of \(origin)") }
        let cosignatures = verified.filter { witnesses.contains($0.key) }
        guard cosignatures.count >= witnessesMin else {
            throw MerkleError(.tooFewWitnesses, "\(cosignatures.count) witnesses, at least \(witnessesMin)")
        }
        return TrustedCheckpoint(checkpoint: checkpoint, note: note, cosignatures: cosignatures)
    }
}

/// A checkpoint whose signatures a ``TrustPolicy``, its only source, has verified.
public struct TrustedCheckpoint: Sendable, Hashable {
    public let checkpoint: Checkpoint
    /// The note that contained the checkpoint.
    public let note: SignedNote
    /// The signatures of known witnesses, each with its time.
    public let cosignatures: [VerifiedSignature]

    init(checkpoint: Checkpoint, note: SignedNote, cosignatures: [VerifiedSignature]) {
        (self.checkpoint, self.note, self.cosignatures) = (checkpoint, note, cosignatures)
    }
}
