import Archive
import Audit
import EventLog
import Histories
import Loyalty
import Merkle
import Testing

/// Checking intact and altered receipts.
@Suite struct ProofCheckTests {
    private let receipt: Receipt
    private let key: String

    init() throws {
        let published = try PublishedSample(20).published
        receipt = try published.receipt(of: Position(7))
        key = published.key.text
    }

    /// Returns true if the receipt proves the record, false if it does not, and nil if the input cannot be checked.
    private func isProved(_ bytes: [UInt8], record: [UInt8]? = nil, key: String? = nil) -> Bool? {
        do throws(AuditError) {
            if case .proved = try ProofCheck(receipt: bytes, record: record, key: key ?? self.key).verdict { return true }
            return false
        } catch {
            #expect(error.code == .input)
            return nil
        }
    }

    @Test("An intact receipt proves its record and names the record's position")
    func wholeReceipt() throws {
        #expect(isProved(receipt.bytes) == true)
        #expect(isProved(receipt.bytes, record: receipt.extra) == true)
        let check = try ProofCheck(receipt: receipt.bytes, record: nil, key: key)
        #expect(check.position == Position(7))
        guard case .proved(let trusted) = check.verdict else { return #expect(Bool(false)) }
        #expect(trusted.checkpoint.size == 20)
    }

    @Test("A receipt with any byte altered proves nothing")
    func alteredByte() {
        let bytes = receipt.bytes
        for index in bytes.indices {
            for bit in [1, 4, 32, 128] as [UInt8] {
                var altered = bytes
                altered[index] ^= bit
                #expect(isProved(altered) != true, "bit \(bit) of byte \(index)")
            }
        }
    }

    @Test("A receipt cut at any length cannot be checked, and one with appended bytes proves nothing")
    func shortenedReceipt() {
        let bytes = receipt.bytes
        for count in bytes.indices { #expect(isProved(Array(bytes.prefix(count))) == nil, "\(count) bytes") }
        #expect(isProved(bytes + [10]) != true && isProved(bytes + bytes) != true)
    }

    @Test("A receipt does not prove a record that is altered in any byte, emptied or extended")
    func alteredRecord() throws {
        let record = try #require(receipt.extra)
        for index in record.indices {
            var altered = record
            altered[index] ^= 1
            #expect(isProved(receipt.bytes, record: altered) == false)
        }
        #expect(isProved(receipt.bytes, record: []) == false && isProved(receipt.bytes, record: record + [0]) == false)
    }

    @Test("The key of another log proves nothing, and a text that is no key is an error")
    func otherKey() throws {
        let name = try VerifierKey(key).name.string
        let other = try NoteSigner(name: name, seed: [UInt8](repeating: 6, count: 32)).verifierKey
        #expect(isProved(receipt.bytes, key: other.text) == false)
        let renamed = try NoteSigner(name: "other.example", seed: PublishedSample.seed).verifierKey
        #expect(isProved(receipt.bytes, key: renamed.text) == false)
        for noKey in ["", "x", key + "A", String(key.dropLast())] { #expect(isProved(receipt.bytes, key: noKey) == nil) }
    }

    @Test("A receipt without its record cannot be checked until the record is given")
    func missingRecord() throws {
        let bare = try Receipt(index: receipt.index, hashes: receipt.hashes, checkpoint: receipt.checkpoint)
        #expect(isProved(bare.bytes) == nil)
        #expect(isProved(bare.bytes, record: receipt.extra) == true)
    }

    @Test("The check of a receipt reports the fact that it proves, and no fact for another record")
    func provedFact() throws {
        let sample = try AuditSample("proofs", count: 60)
        try PublishedSample(of: sample.data).grow(by: 0)
        let published = try PublishedLog(in: try AuditedFolder(sample.data.path))
        for fact in sample.history.facts {
            let receipt = try published.receipt(of: Position(fact.position))
            let check = try ProofCheck(receipt: receipt.bytes, record: nil, key: published.key.text)
            #expect(check.fact == fact)
        }
        #expect(try ProofCheck(receipt: receipt.bytes, record: [1, 2], key: key).fact == nil)
    }
}
