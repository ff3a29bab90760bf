import Foundation
import Merkle
import Testing

/// The rules for signatures (C2SP signed-note, "Signatures").
@Suite struct NoteVerifyingTests {
    private let text = "greentea.example/log\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n"

    @Test("Signatures of unknown keys are ignored beside a known one")
    func unknownSignaturesAreIgnored() throws {
        let (known, other) = (try TestKeys.log(), try TestKeys.log("other.example", seed: 2))
        let sameName = try TestKeys.log(seed: 3)
        let note = try other.sign(text).adding(try sameName.sign(text).signatures).adding(try known.sign(text).signatures)
        #expect(try note.verifiedSignatures(by: [known.verifierKey]).map(\.key) == [known.verifierKey])
        #expect(try note.verifiedSignatures(by: [other.verifierKey, known.verifierKey]).count == 2)
    }

    @Test("A note that no known key has signed is refused")
    func aNoteOfUnknownKeysIsRefused() throws {
        let note = try TestKeys.log().sign(text)
        #expect(refusal { _ = try note.verifiedSignatures(by: []) } == .unsigned)
        #expect(refusal { _ = try note.verifiedSignatures(by: [try TestKeys.log(seed: 2).verifierKey]) } == .unsigned)
        #expect(refusal { _ = try note.verifiedSignatures(by: [try TestKeys.log("other.example").verifierKey]) } == .unsigned)
    }

    /// One invalid signature by a known key makes the note invalid, even beside valid ones by the same key.
    @Test("A bad signature of a known key makes the note invalid")
    func aBadSignatureOfAKnownKeyRefusesTheNote() throws {
        let (good, bad) = (try TestKeys.log(), try TestKeys.log("bad.example", seed: 2))
        let note = try good.sign(text).adding(try bad.sign("another text\n").signatures)
        #expect(try note.verifiedSignatures(by: [good.verifierKey]).count == 1)
        #expect(refusal { _ = try note.verifiedSignatures(by: [good.verifierKey, bad.verifierKey]) } == .badSignature)
        let twice = try good.sign(text).adding(try good.sign("another text\n").signatures)
        #expect(refusal { _ = try twice.verifiedSignatures(by: [good.verifierKey]) } == .badSignature)
    }

    @Test("A key that signs twice counts once")
    func aKeyThatSignsTwiceCountsOnce() throws {
        let signer = try TestKeys.log()
        let note = try signer.sign(text).adding(try signer.sign(text).signatures)
        #expect(try note.verifiedSignatures(by: [signer.verifierKey, signer.verifierKey]).count == 1)
    }

    @Test("Two known keys with the same name and id are refused")
    func keysThatShareNameAndIDAreRefused() throws {
        let signer = try TestKeys.log()
        let odd = try VerifierKey("\(TestKeys.origin)+\(signer.verifierKey.id)+AgE=")
        let note = try signer.sign(text)
        #expect(refusal { _ = try note.verifiedSignatures(by: [signer.verifierKey, odd]) } == .ambiguousKey)
        #expect(refusal { _ = try note.verifiedSignatures(by: [odd, signer.verifierKey]) } == .ambiguousKey)
    }

    @Test("A key of a kind that cannot be verified counts as unknown")
    func kindsThatCannotBeVerifiedCountAsUnknown() throws {
        let lattice = try VerifierKey(name: "pq.example", kind: .cosignatureMLDSA44, publicKey: [UInt8](repeating: 9, count: 1_312))
        let line = try NoteSignature(line: "\u{2014} pq.example \(lineBlob(lattice.id))")
        let signer = try TestKeys.log()
        let note = try signer.sign(text).adding([line])
        #expect(try note.verifiedSignatures(by: [lattice, signer.verifierKey]).count == 1)
        #expect(refusal { _ = try note.verifiedSignatures(by: [lattice]) } == .unsigned)
    }

    /// Returns a key id, followed by some bytes that are not a signature, in Base64.
    private func lineBlob(_ id: KeyID) -> String {
        Data((0..<4).map { UInt8(truncatingIfNeeded: id.rawValue >> UInt32(24 - 8 * $0)) } + [1, 2, 3]).base64EncodedString()
    }

    @Test("A note with twenty signatures is accepted")
    func sixteenSignaturesAndMoreAreAccepted() throws {
        let signers = try (1...20).map { try TestKeys.log("log\($0).example", seed: UInt8($0)) }
        var note = try signers[0].sign(text)
        for signer in signers.dropFirst() { note = try note.adding(try signer.sign(text).signatures) }
        #expect(try SignedNote(note.bytes).verifiedSignatures(by: signers.map(\.verifierKey)).count == 20)
    }

    @Test("A printed or dumped signer does not show its seed")
    func theSecretIsNotShown() throws {
        let signer = try NoteSigner(name: "a", seed: Array("0123456789abcdef0123456789abcdef".utf8))
        var dumped = "\(signer) \(String(reflecting: signer))"
        dump(signer, to: &dumped)
        #expect(dumped.contains(signer.verifierKey.text))
        #expect(!dumped.contains("48, 49, 50") && !dumped.contains("0123456789") && !dumped.contains("PrivateKey"))
    }

    @Test("A seed of another length than 32, or for another kind of signature, is refused")
    func seedsOfAnotherLengthAndKindAreRefused() {
        for count in [0, 31, 33, 64] {
            #expect(refusal { _ = try NoteSigner(name: "a", seed: [UInt8](repeating: 1, count: count)) } == .malformedKey)
        }
        let seed = [UInt8](repeating: 1, count: 32)
        #expect(refusal { _ = try NoteSigner(name: "a", seed: seed, kind: .cosignatureMLDSA44) } == .malformedKey)
    }
}
