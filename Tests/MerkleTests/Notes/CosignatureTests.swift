import Crypto
import Foundation
import Merkle
import Testing

@Suite struct CosignatureTests {
    private let checkpoint: Checkpoint

    init() throws {
        checkpoint = try Checkpoint(origin: TestKeys.origin, size: 20_852_163, root: TreeHasher.emptyRoot)
    }

    @Test("A cosignature verifies and gives its time")
    func aCosignatureVerifiesAndTellsItsTime() throws {
        let (log, witness) = (try TestKeys.log(), try TestKeys.witness())
        let note = try checkpoint.signed(by: log).adding([try witness.cosign(checkpoint, time: 1_679_315_147)])
        let verified = try SignedNote(note.bytes).verifiedSignatures(by: [log.verifierKey, witness.verifierKey])
        #expect(verified.map(\.time) == [nil, 1_679_315_147])
    }

    /// The signature must be valid for the message that the specification prescribes, here written by hand.
    @Test("A witness signs the message that the specification prescribes")
    func theSignedMessageIsThatOfTheSpecification() throws {
        let witness = try TestKeys.witness()
        let line = try witness.cosign(checkpoint, time: 1_679_315_147)
        #expect(Array(line.bytes.prefix(8)) == [0, 0, 0, 0, 0x64, 0x18, 0x50, 0xCB] && line.bytes.count == 72)
        let message = """
            cosignature/v1
            time 1679315147
            greentea.example/log
            20852163
            47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=

            """
        let key = try Curve25519.Signing.PublicKey(rawRepresentation: witness.verifierKey.publicKey)
        #expect(key.isValidSignature(line.bytes.dropFirst(8), for: Data(message.utf8)))
    }

    @Test("A cosignature with any changed bit, also of its time, does not verify")
    func anotherTimeIsNoticed() throws {
        let witness = try TestKeys.witness()
        let line = try witness.cosign(checkpoint, time: 5)
        for byte in 0..<line.bytes.count {
            var bytes = line.bytes
            bytes[byte] ^= 1
            let blob = Data((0..<4).map { UInt8(truncatingIfNeeded: line.keyID.rawValue >> UInt32(24 - 8 * $0)) } + bytes)
            let altered = try NoteSignature(line: "\u{2014} \(line.name) \(blob.base64EncodedString())")
            let note = try SignedNote(text: checkpoint.text, signatures: [altered])
            #expect(refusal { _ = try note.verifiedSignatures(by: [witness.verifierKey]) } == .badSignature, "byte \(byte)")
        }
    }

    @Test("A witness signs only checkpoints")
    func aWitnessSignsCheckpointsOnly() throws {
        let (log, witness) = (try TestKeys.log(), try TestKeys.witness())
        #expect(refusal { _ = try witness.sign("a\n") } == .malformedKey)
        #expect(refusal { _ = try log.cosign(checkpoint, time: 1) } == .malformedKey)
        let other = try SignedNote(text: "a\n", signatures: [try witness.cosign(checkpoint, time: 1)])
        #expect(refusal { _ = try other.verifiedSignatures(by: [witness.verifierKey]) } == .badSignature)
    }

    /// Two texts are validly signed with the witness's key, but the first one is not a checkpoint.
    @Test("A cosignature of a text that is no checkpoint is refused")
    func aCosignatureUnderAnotherTextIsRefused() throws {
        let witness = try TestKeys.witness()
        let key = try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 101, count: 32))
        for (text, refused) in [("hello\n", MerkleError.Code.badSignature), (checkpoint.text, nil)] {
            let signature = try key.signature(for: Data("cosignature/v1\ntime 5\n\(text)".utf8))
            let id = (0..<4).map { UInt8(truncatingIfNeeded: witness.verifierKey.id.rawValue >> UInt32(24 - 8 * $0)) }
            let blob = Data(id + [0, 0, 0, 0, 0, 0, 0, 5] + signature)
            let line = try NoteSignature(line: "\u{2014} witness1.example \(blob.base64EncodedString())")
            let note = try SignedNote(text: text, signatures: [line])
            #expect(refusal { _ = try note.verifiedSignatures(by: [witness.verifierKey]) } == refused)
        }
    }

    @Test("A cosignature's time has at most 63 bits")
    func timesHaveSixtyThreeBits() throws {
        let witness = try TestKeys.witness()
        #expect(refusal { _ = try witness.cosign(checkpoint, time: 1 << 63) } == .outOfRange)
        let last = try witness.cosign(checkpoint, time: 1 << 63 - 1)
        let note = try SignedNote(text: checkpoint.text, signatures: [last])
        #expect(try note.verifiedSignatures(by: [witness.verifierKey]).first?.time == 1 << 63 - 1)
    }

    @Test("A cosignature by the same seed is no signature of the log")
    func aCosignatureIsNoSignatureOfTheLog() throws {
        // A log's key and a witness's key with the same seed and name sign different messages, so a signature of one kind never replaces
        // one of the other kind.
        let seed = [UInt8](repeating: 7, count: 32)
        let log = try NoteSigner(name: "a", seed: seed)
        let witness = try NoteSigner(name: "a", seed: seed, kind: .cosignature)
        let note = try SignedNote(text: checkpoint.text, signatures: [try witness.cosign(checkpoint, time: 1)])
        #expect(refusal { _ = try note.verifiedSignatures(by: [log.verifierKey]) } == .unsigned)
        #expect(try note.verifiedSignatures(by: [log.verifierKey, witness.verifierKey]).map(\.key) == [witness.verifierKey])
    }
}
