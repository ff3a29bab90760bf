/// The keys that a verifier trusts for one log: the log's own keys, the witnesses' keys, and the number of witnesses that must have
/// cosigned.
///
/// A witness's signature never replaces the log's signature, because the two make different statements.
public struct TrustPolicy: Sendable, Hashable {
    /// The log's name as written in its checkpoints.
    public let origin: ExactText
    /// The log's keys, at least one of which must have signed.
    public let logKeys: [VerifierKey]
    /// The keys of the witnesses that are trusted. Signatures by these keys are verified.
    public let witnesses: [VerifierKey]
    /// The number of witnesses that must have cosigned.
    public let witnessesMin: Int

    /// Creates a policy.
    public init(origin: String, logKeys: [VerifierKey], witnesses: [VerifierKey] = [], witnessesMin: Int = 0) {
        self.origin = ExactText(origin)
        self.logKeys = logKeys
        self.witnesses = witnesses
        self.witnessesMin = witnessesMin
    }

    /// Trusts one log by its only key. The key's name is the log's origin.
    public init(_ logKey: VerifierKey) {
        self.init(origin: logKey.name.string, logKeys: [logKey])
    }

    /// Verifies a note against this policy and returns its checkpoint.
    ///
    /// - Throws: ``MerkleError`` as ``SignedNote/verifiedSignatures(by:)``; `.unsigned` also if only witnesses have signed;
    ///   `.malformedCheckpoint`, `.wrongOrigin`, `.tooFewWitnesses`.
    public func open(_ note: SignedNote) throws(MerkleError) -> TrustedCheckpoint {
        let verified = try note.verifiedSignatures(by: logKeys + witnesses)
        guard verified.contains(where: { logKeys.contains($0.key) }) else {
            throw MerkleError(.unsigned, "only witnesses have signed")
        }
        let checkpoint = try Checkpoint(text: note.text.string)
        guard checkpoint.origin == origin else { throw MerkleError(.wrongOrigin, "not a checkpoint of \(origin)") }
        let cosignatures = verified.filter { witnesses.contains($0.key) }
        guard cosignatures.count >= witnessesMin else {
            throw MerkleError(.tooFewWitnesses, "\(cosignatures.count) witnesses, at least \(witnessesMin)")
        }
        return TrustedCheckpoint(checkpoint: checkpoint, note: note, cosignatures: cosignatures)
    }
}

/// A checkpoint whose signatures a ``TrustPolicy`` has verified. Only a policy can create one.
public struct TrustedCheckpoint: Sendable, Hashable {
    /// The checkpoint that the log signed.
    public let checkpoint: Checkpoint
    /// The note that contained the checkpoint.
    public let note: SignedNote
    /// The signatures of known witnesses, each with its time.
    public let cosignatures: [VerifiedSignature]

    init(checkpoint: Checkpoint, note: SignedNote, cosignatures: [VerifiedSignature]) {
        self.checkpoint = checkpoint
        self.note = note
        self.cosignatures = cosignatures
    }
}
