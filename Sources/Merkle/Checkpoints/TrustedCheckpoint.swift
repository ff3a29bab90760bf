/// A checkpoint whose signatures a ``TrustPolicy`` has verified: only a policy makes one.
public struct TrustedCheckpoint: Sendable, Hashable {
    /// What the log has signed.
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
