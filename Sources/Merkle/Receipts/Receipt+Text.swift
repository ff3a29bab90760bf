extension Receipt {
    /// The receipt as it is stored and sent: text in UTF-8, `.tlog-proof`.
    public var bytes: [UInt8] {
        let proof = ["\(Self.indexStart)\(index)"] + hashes.map(\.base64) + [""]
        let head = [Self.header] + (extra.map { [Self.extraStart + Base64.text($0)] } ?? [])
        return Array((head + proof).map { $0 + "\n" }.joined().utf8) + checkpoint.bytes
    }

    /// A receipt from its bytes, which come out of ``bytes`` again as they were. Nothing is verified.
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

    /// The hashes up to the empty line, which is read too.
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
