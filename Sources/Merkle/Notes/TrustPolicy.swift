/// The keys that a verifier trusts for one log: the log's own keys, and how many of which witnesses must have signed.
///
/// A witness's signature never replaces the log's, because it states something else.
public struct TrustPolicy: Sendable, Hashable {
    /// The log's name as written in its checkpoints.
    public let origin: ExactText
    /// The log's keys; one of them must have signed.
    public let logKeys: [VerifierKey]
    /// Witnesses whose signatures are verified where there are any.
    public let witnesses: [VerifierKey]
    /// How many of the witnesses must have cosigned.
    public let witnessesMin: Int

    /// A policy.
    public init(origin: String, logKeys: [VerifierKey], witnesses: [VerifierKey] = [], witnessesMin: Int = 0) {
        self.origin = ExactText(origin)
        self.logKeys = logKeys
        self.witnesses = witnesses
        self.witnessesMin = witnessesMin
    }

    /// One log by its one key, whose name is the log's origin.
    public init(_ logKey: VerifierKey) {
        self.init(origin: logKey.name.string, logKeys: [logKey])
    }

    /// A checkpoint that this policy believes.
    ///
    /// - Throws: ``MerkleError`` as ``SignedNote/verifiedSignatures(by:)``; `.unsigned` also when only witnesses have signed;
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

/// A checkpoint whose signatures a ``TrustPolicy`` has verified: only a policy makes one.
public struct TrustedCheckpoint: Sendable, Hashable {
    /// The checkpoint that the log signed.
    public let checkpoint: Checkpoint
    /// The note that it came in.
    public let note: SignedNote
    /// Known witnesses that have signed too, each with its time.
    public let cosignatures: [VerifiedSignature]

    init(checkpoint: Checkpoint, note: SignedNote, cosignatures: [VerifiedSignature]) {
        self.checkpoint = checkpoint
        self.note = note
        self.cosignatures = cosignatures
    }
}
