import Merkle
import Testing

@Suite struct VerifierKeyTests {
    /// The example of C2SP signed-note.
    static let knownGood = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"

    @Test("The specification's example key is read")
    func theSpecificationsKeyIsRead() throws {
        let key = try VerifierKey(Self.knownGood)
        #expect(key.name.string == "example.com/foo")
        #expect(key.id == KeyID(rawValue: 0x530d_903a) && "\(key.id)" == "530d903a")
        #expect(key.kind == .ed25519 && key.publicKey.count == 32)
        #expect(key.text == Self.knownGood && "\(key)" == Self.knownGood)
        #expect(try VerifierKey(name: "example.com/foo", kind: .ed25519, publicKey: key.publicKey) == key)
    }

    @Test("Each part of a key's text is refused")
    func everyPartOfAKeyIsRefused() {
        let bytes = Array(Self.knownGood.utf8)
        for start in bytes.indices {
            for end in start...bytes.count where end - start < bytes.count {
                let part = String(decoding: bytes[start..<end], as: UTF8.self)
                #expect(refusal { _ = try VerifierKey(part) } == .malformedKey, "\(part)")
            }
        }
    }

    @Test("A key's text with any changed bit is refused, or of a kind that verifies nothing")
    func everyTurnedBitIsRefused() {
        for bit in 0..<Self.knownGood.utf8.count * 8 {
            var bytes = Array(Self.knownGood.utf8)
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            guard let text = String(validating: bytes, as: UTF8.self) else { continue }
            // A flipped bit may change the kind of the key to an unknown kind. Such a kind may compute the id differently, so the key is
            // accepted.
            if let key = try? VerifierKey(text) { #expect(!key.kind.isVerifiable) }
        }
    }

    @Test(
        "Text that is no verifier key is refused",
        arguments: [
            "", "+", "++", "a+00000000+", "a+530d903a+AQ==", "a b+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
            "example.com/foo+530D903A+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
            "example.com/foo+530d903a00+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
            "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k\n",
            " example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
            "example.com/bar+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
        ])
    func otherTextIsRefused(_ text: String) {
        #expect(refusal { _ = try VerifierKey(text) } == .malformedKey)
    }

    @Test(
        "A name with a space, a plus sign, a control character or 256 characters names no key",
        arguments: [
            "", " ", "a b", "a+b", "a\nb", "a\u{A0}b", "a\u{2003}b", "a\u{3000}", "\u{85}", "a\u{1}",
            String(repeating: "a", count: 256),
        ])
    func namesThatNoKeyMayHaveAreRefused(_ name: String) {
        let key = [UInt8](repeating: 1, count: 32)
        #expect(refusal { _ = try VerifierKey(name: name, kind: .ed25519, publicKey: key) } == .malformedKey)
        #expect(refusal { _ = try NoteSigner(name: name, seed: key) } == .malformedKey)
    }

    @Test(
        "A public key of another length than its kind has is refused",
        arguments: [(SignatureKind.ed25519, 31), (.ed25519, 33), (.cosignature, 0), (.cosignatureMLDSA44, 32)])
    func publicKeysOfAnotherLengthAreRefused(_ kind: SignatureKind, _ count: Int) {
        let key = [UInt8](repeating: 1, count: count)
        #expect(refusal { _ = try VerifierKey(name: "a", kind: kind, publicKey: key) } == .malformedKey)
    }

    @Test("A key of a kind that cannot be verified is kept as it is")
    func kindsThatAreNotVerifiedAreKept() throws {
        let lattice = try VerifierKey(name: "a", kind: .cosignatureMLDSA44, publicKey: [UInt8](repeating: 9, count: 1_312))
        #expect(try VerifierKey(lattice.text) == lattice)
        #expect(!lattice.kind.isVerifiable)
        // The kind 2 is unknown here and may compute its ids differently, so any id is accepted.
        #expect(try VerifierKey("a+01020304+AgE=").kind == SignatureKind(rawValue: 2))
    }

    @Test("Keys of different kinds have different ids")
    func theKindIsPartOfTheID() throws {
        let publicKey = [UInt8](repeating: 1, count: 32)
        let one = try VerifierKey(name: "a", kind: .ed25519, publicKey: publicKey)
        let other = try VerifierKey(name: "a", kind: .cosignature, publicKey: publicKey)
        #expect(one.id != other.id)
    }

    /// RFC 8032 §7.1, test 1: the seed gives this public key.
    @Test("The seed of RFC 8032's first test gives its public key")
    func aSeedGivesTheKeyOfTheRFC() throws {
        let seed: [UInt8] = [
            0x9d, 0x61, 0xb1, 0x9d, 0xef, 0xfd, 0x5a, 0x60, 0xba, 0x84, 0x4a, 0xf4, 0x92, 0xec, 0x2c, 0xc4,
            0x44, 0x49, 0xc5, 0x69, 0x7b, 0x32, 0x69, 0x19, 0x70, 0x3b, 0xac, 0x03, 0x1c, 0xae, 0x7f, 0x60,
        ]
        let signer = try NoteSigner(name: "a", seed: seed)
        #expect(NodeHash(signer.verifierKey.publicKey)?.hex == "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
    }

    /// Two spellings of one letter look the same but are different names.
    @Test("Names that look the same but have different bytes are different")
    func namesAreComparedByteForByte() throws {
        let publicKey = [UInt8](repeating: 1, count: 32)
        let one = try VerifierKey(name: "caf\u{E9}", kind: .ed25519, publicKey: publicKey)
        let other = try VerifierKey(name: "cafe\u{301}", kind: .ed25519, publicKey: publicKey)
        #expect(one.name.string == other.name.string)
        #expect(one.name != other.name && one != other)
        #expect(Set([one, other, one]).count == 2)
    }
}
