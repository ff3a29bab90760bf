import Merkle
import Testing

@Suite struct ReceiptTests {
    private let tree = MemoryTree(numberedRecords(100))
    private let log: NoteSigner
    private let note: SignedNote

    init() throws {
        log = try TestKeys.log()
        note = try Checkpoint(origin: TestKeys.origin, size: 100, root: tree.edge.root).signed(by: log)
    }

    private func receipt(_ index: UInt64, extra: [UInt8]? = nil) throws -> Receipt {
        try Receipt(try tree.inclusionProof(of: index, at: 100), checkpoint: note, extra: extra)
    }

    private func check(_ receipt: Receipt, _ record: [UInt8]) throws {
        try receipt.verify(record, by: TrustPolicy(log.verifierKey))
    }

    @Test("A receipt is written as it was read", arguments: [nil, [], [1], Array(0...255)] as [[UInt8]?])
    func receiptsComeBackAsTheyWere(_ extra: [UInt8]?) throws {
        for index in [0, 1, 63, 64, 99] as [UInt64] {
            let receipt = try receipt(index, extra: extra)
            let read = try Receipt(receipt.bytes)
            #expect(read == receipt && read.bytes == receipt.bytes && read.extra == extra)
            #expect(refusal { try check(read, tree.records[Int(index)]) } == nil)
        }
    }

    @Test("A receipt's text is the one that the specification prescribes")
    func theTextIsThatOfTheSpecification() throws {
        let receipt = try receipt(5, extra: [0, 1])
        let hashes = receipt.hashes.map { $0.base64 + "\n" }.joined()
        let text = "c2sp.org/tlog-proof@v1\nextra AAE=\nindex 5\n\(hashes)\n" + String(decoding: note.bytes, as: UTF8.self)
        #expect(String(decoding: receipt.bytes, as: UTF8.self) == text)
        #expect(receipt.hashes.count == 7)
    }

    @Test("A receipt for the only record of a tree has no hashes")
    func aTreeOfOneNeedsNoHashes() throws {
        let tree = MemoryTree([[9]])
        let note = try Checkpoint(origin: TestKeys.origin, size: 1, root: tree.edge.root).signed(by: log)
        let receipt = try Receipt(try tree.inclusionProof(of: 0, at: 1), checkpoint: note)
        let text = String(decoding: receipt.bytes, as: UTF8.self)
        #expect(text.hasPrefix("c2sp.org/tlog-proof@v1\nindex 0\n\ngreentea.example/log\n1\n"))
        #expect(refusal { try check(try Receipt(receipt.bytes), [9]) } == nil)
        #expect(refusal { try check(receipt, [8]) } == .rootMismatch)
    }

    @Test("A receipt with another record, index, hash or checkpoint is refused")
    func whatWasAlteredIsRefused() throws {
        let good = try receipt(17)
        let record = tree.records[17]
        #expect(refusal { try check(good, tree.records[18]) } == .rootMismatch)
        #expect(refusal { try check(try Receipt(index: 18, hashes: good.hashes, checkpoint: note), record) } == .rootMismatch)
        #expect(refusal { try check(try Receipt(index: 100, hashes: good.hashes, checkpoint: note), record) } == .outOfRange)
        for hashes in good.hashes.altered {
            let code = refusal { try check(try Receipt(index: 17, hashes: hashes, checkpoint: note), record) }
            #expect(code == (hashes.count == good.hashes.count ? .rootMismatch : .proofLength))
        }
        let other = try TestKeys.log(seed: 2)
        let forged = try Checkpoint(origin: TestKeys.origin, size: 100, root: tree.edge.root).signed(by: other)
        #expect(refusal { try check(try Receipt(index: 17, hashes: good.hashes, checkpoint: forged), record) } == .unsigned)
        let smaller = try Checkpoint(origin: TestKeys.origin, size: 99, root: tree.edge.root).signed(by: log)
        #expect(refusal { _ = try Receipt(try tree.inclusionProof(of: 17, at: 100), checkpoint: smaller) } == .outOfRange)
    }

    /// After one bit is flipped, the bytes are either not a receipt, or a receipt that keeps exactly the changed bytes and does not verify.
    @Test("A receipt with any changed bit does not verify")
    func everyTurnedBitIsNoticed() throws {
        let bytes = try receipt(17).bytes
        for bit in 0..<bytes.count * 8 {
            var altered = bytes
            altered[bit / 8] ^= 1 << UInt8(bit % 8)
            guard let read = try? Receipt(altered) else { continue }
            #expect(read.bytes == altered)
            #expect(refusal { try check(read, tree.records[17]) } != nil, "bit \(bit)")
        }
    }

    private static let hash = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    private static let start = "c2sp.org/tlog-proof@v1\n"

    @Test(
        "A note after a wrong head is no receipt",
        arguments: [
            "", "c2sp.org/tlog-proof@v1", start, "c2sp.org/tlog-proof@v2\nindex 0\n\n", "c2sp.org/tlog-proof@v1 \nindex 0\n\n",
            " c2sp.org/tlog-proof@v1\nindex 0\n\n", "\u{FEFF}c2sp.org/tlog-proof@v1\nindex 0\n\n",
            "c2sp.org/tlog-proof@v1\r\nindex 0\n\n",
            start + "\nindex 0\n\n", start + "index\n\n", start + "index \n\n", start + "index 00\n\n", start + "index 01\n\n",
            start + "index -1\n\n", start + "index  1\n\n", start + "Index 1\n\n", start + "index 9223372036854775807\n\n",
            start + "index 0\nextra AA==\n\n", start + "extra AA==\n\n", start + "extra AA==\nextra AA==\nindex 0\n\n",
            start + "extra AA=\nindex 0\n\n", start + "extra AB==\nindex 0\n\n", start + "extra\nindex 0\n\n",
            start + "index 0\nindex 0\n\n",
            start + "index 0\nAAAA\n\n", start + "index 0\n\(hash.dropLast())\n\n", start + "index 0\n\(hash)",
            start + "index 0\n \(hash)\n\n",
            start + "index 0\n" + String(repeating: hash + "\n", count: 64) + "\n",
        ])
    func bytesThatAreNoReceiptAreRefused(_ head: String) {
        #expect(refusal { _ = try Receipt(Array(head.utf8) + note.bytes) } == .malformedReceipt)
    }

    @Test("A receipt must end with a whole signed note")
    func whatFollowsMustBeANote() {
        let head = Array((Self.start + "index 0\n\n").utf8)
        #expect(refusal { _ = try Receipt(head) } == .malformedNote)
        #expect(refusal { _ = try Receipt(head + note.bytes.dropLast()) } == .malformedNote)
        #expect(refusal { _ = try Receipt(head + note.bytes) } == nil)
    }

    @Test("A receipt beyond the limits of its hashes and extra bytes is refused")
    func receiptsAreBounded() throws {
        let most = [NodeHash](repeating: TreeHasher.emptyRoot, count: 63)
        #expect(try Receipt(Receipt(index: 0, hashes: most, checkpoint: note).bytes).hashes.count == 63)
        #expect(refusal { _ = try Receipt(index: 0, hashes: most + most, checkpoint: note) } == .proofLength)
        #expect(refusal { _ = try Receipt(index: 1 << 63 - 1, hashes: [], checkpoint: note) } == .outOfRange)
        let extra = [UInt8](repeating: 0, count: MerkleLimits.receiptBytesMax / 4 * 3)
        #expect(refusal { _ = try Receipt(index: 0, hashes: [], checkpoint: note, extra: extra) } == .tooLarge)
        #expect(refusal { _ = try Receipt([UInt8](repeating: 0, count: MerkleLimits.receiptBytesMax + 1)) } == .tooLarge)
    }
}
