/// A proof that one record is in the log, verifiable without the log (C2SP tlog-proof, `.tlog-proof`). The verifier supplies the record.
public struct Receipt: Hashable, Sendable {
    static let header = "c2sp.org/tlog-proof@v1"
    static let extraStart = "extra "
    static let indexStart = "index "

    /// The leaf's number, from 0: an event's position minus one.
    public let index: UInt64
    /// The hashes from the leaf's sibling up to the child of the root.
    public let hashes: [NodeHash]
    /// The log's signed checkpoint of the proof's tree.
    public let checkpoint: SignedNote
    /// Data of the application, which no signature covers.
    public let extra: [UInt8]?

    /// Creates a receipt without verifying anything.
    ///
    /// - Throws: ``MerkleError`` `.proofLength` for more than ``MerkleLimits/proofHashesMax`` hashes, `.outOfRange` for an index from
    ///   ``MerkleLimits/sizeMax`` on, `.tooLarge` if `extra` makes the receipt too long.
    public init(index: UInt64, hashes: [NodeHash], checkpoint: SignedNote, extra: [UInt8]? = nil) throws(MerkleError) {
        guard hashes.count <= MerkleLimits.proofHashesMax else {
            throw MerkleError(.proofLength, "\(hashes.count) hashes, at most \(MerkleLimits.proofHashesMax)")
        }
        guard index < MerkleLimits.sizeMax else { throw MerkleError(.outOfRange, "leaf \(index)") }
        (self.index, self.hashes, self.checkpoint, self.extra) = (index, hashes, checkpoint, extra)
        try Self.check(size: bytes.count)
    }

    /// Combines a proof with the checkpoint of its tree.
    ///
    /// - Throws: as ``init(index:hashes:checkpoint:extra:)``; ``MerkleError`` `.malformedCheckpoint` for a note without a checkpoint,
    ///   `.outOfRange` if the sizes differ.
    public init(_ proof: InclusionProof, checkpoint: SignedNote, extra: [UInt8]? = nil) throws(MerkleError) {
        let size = try Checkpoint(text: checkpoint.text.string).size
        guard size == proof.size else { throw MerkleError(.outOfRange, "a proof for \(proof.size) leaves under a checkpoint of \(size)") }
        try self.init(index: proof.index, hashes: proof.hashes, checkpoint: checkpoint, extra: extra)
    }

    /// Checks that a record is in the log at ``index``, and returns the checkpoint of that tree.
    ///
    /// - Throws: ``MerkleError`` as ``TrustPolicy/open(_:)`` and ``InclusionProof/verify(_:root:)``.
    @discardableResult
    public func verify(_ record: Span<UInt8>, by policy: TrustPolicy) throws(MerkleError) -> TrustedCheckpoint {
        let trusted = try policy.open(checkpoint)
        let proof = InclusionProof(index: index, size: trusted.checkpoint.size, hashes: hashes)
        try proof.verify(record, root: trusted.checkpoint.root)
        return trusted
    }

    /// Checks a record given as an array.
    @discardableResult
    public func verify(_ record: [UInt8], by policy: TrustPolicy) throws(MerkleError) -> TrustedCheckpoint {
        try verify(record.span, by: policy)
    }

    static func check(size: Int) throws(MerkleError) {
        guard size <= MerkleLimits.receiptBytesMax else {
            throw MerkleError(.tooLarge, "a receipt of \(size) bytes, at most \(MerkleLimits.receiptBytesMax)")
        }
    }
}

extension Receipt {
    /// The stored and transmitted form: `.tlog-proof` text in UTF-8.
    public var bytes: [UInt8] {
        let proof = ["\(Self.indexStart)\(index)"] + hashes.map(\.base64) + [""]
        let head = [Self.header] + (extra.map { [Self.extraStart + Base64.text($0)] } ?? [])
        return Array((head + proof).map { $0 + "\n" }.joined().utf8) + checkpoint.bytes
    }

    /// Parses a receipt without verifying it; ``bytes`` then equals the input.
    ///
    /// - Throws: ``MerkleError`` `.malformedReceipt`, `.tooLarge`, and as ``SignedNote/init(_:)``.
    public init(_ bytes: [UInt8]) throws(MerkleError) {
        try Self.check(size: bytes.count)
        var lines = LineReader(bytes[...])
        guard lines.next()?.elementsEqual(Self.header.utf8) == true else { throw Self.error("the first line is another") }
        let extra = try Self.extra(&lines)
        guard let index = lines.next(after: Self.indexStart).flatMap({ Decimal.number($0, max: MerkleLimits.sizeMax - 1) }) else {
            throw Self.error("the index is missing")
        }
        let hashes = try Self.hashes(&lines)
        try self.init(index: index, hashes: hashes, checkpoint: try SignedNote(Array(lines.rest)), extra: extra)
    }

    private static func extra(_ lines: inout LineReader) throws(MerkleError) -> [UInt8]? {
        guard let text = lines.next(after: extraStart) else { return nil }
        guard let extra = Base64.bytes(text) else { throw error("extra is not Base64") }
        return extra
    }

    /// Reads the hashes and the empty line after them.
    private static func hashes(_ lines: inout LineReader) throws(MerkleError) -> [NodeHash] {
        var hashes: [NodeHash] = []
        while hashes.count <= MerkleLimits.proofHashesMax {
            guard let line = lines.next() else { throw error("it ends before the checkpoint") }
            if line.isEmpty { return hashes }
            guard let hash = NodeHash(base64: line) else { throw error("line \(hashes.count + 1) of the proof is no hash") }
            hashes.append(hash)
        }
        throw error("more than \(MerkleLimits.proofHashesMax) hashes")
    }

    private static func error(_ detail: String) -> MerkleError { MerkleError(.malformedReceipt, detail) }
}
