import Loyalty
import LoyaltyCodec
import Testing

struct MasterSecretTests {
    private static let hex = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

    /// Returns a value derived from the secret, because the secret itself cannot be read.
    private func fingerprint(_ text: String) throws -> [UInt8] {
        Keys(try MasterSecret(text: text)).tokenSigningSeed
    }

    @Test(
        "A master secret is read from hexadecimal or base64 text, with or without blanks around it",
        arguments: [
            hex, hex.uppercased(), "\(hex)\n", "  \(hex)\r\n", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
            "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n",
        ])
    func readsHexAndBase64(_ text: String) throws {
        #expect(try fingerprint(text) == Keys(try MasterSecret(bytes: Array(0..<32))).tokenSigningSeed)
    }

    @Test(
        "A text that is not 32 bytes in hexadecimal or base64 is refused, and the error says so",
        arguments: [
            "", "\n", String(hex.dropLast()), hex + "0", hex + "00", String(hex.dropLast(2)), "g" + hex.dropFirst(),
            "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9=",
            "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg==", "AAEC AwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
            "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwd====", "====", "correct horse battery staple",
        ])
    func refusesAnythingElse(_ text: String) {
        let error = #expect(throws: CodecError.self) { try MasterSecret(text: text) }
        #expect(error?.code == .badKey)
        #expect(error?.remedy.contains("32 bytes") == true)
        #expect(error?.position == nil)
    }

    @Test("A master secret or data key that does not have 32 bytes is refused", arguments: [0, 16, 31, 33, 64])
    func bytesMustBe32(_ count: Int) {
        #expect(throws: CodecError.self) { try MasterSecret(bytes: [UInt8](repeating: 7, count: count)) }
        #expect(throws: CodecError.self) { try DataKey(bytes: [UInt8](repeating: 7, count: count)) }
    }

    @Test("An error about a bad master secret does not quote it")
    func notQuoted() {
        let error = #expect(throws: CodecError.self) { try MasterSecret(text: "hunter2") }
        #expect(error?.description.contains("hunter2") == false)
    }
}
