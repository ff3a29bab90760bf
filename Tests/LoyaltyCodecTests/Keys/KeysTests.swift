import Loyalty
import LoyaltyCodec
import Testing

/// Compares derived keys with values that Python's hmac and its package `cryptography` computed independently. If a derived value changed,
/// a running service could no longer find or read its codes, accounts and sessions.
struct KeysTests {
    private static let id: UInt128 = 0x0189_0A5D_AC96_774B_BCCE_B302_099A_8057

    private func keys(_ first: UInt8 = 0) throws -> Keys {
        Keys(try MasterSecret(bytes: (0..<32).map { $0 + first }))
    }

    private func number(_ hex: String) throws -> UInt128 {
        try #require(UInt128(hex, radix: 16))
    }

    @Test("The codes derived from an id have known values")
    func knownCodes() throws {
        let keys = try keys()
        #expect(keys.stampCode(for: .init(Self.id), attempt: 0).text == "PHPK-HDFF")
        #expect(keys.stampCode(for: .init(Self.id), attempt: 1).text == "KNJZ-ERZ8")
        #expect(keys.redemptionCode(for: .init(Self.id), attempt: 0).text == "KX7C-BKA1")
        #expect(keys.redemptionCode(for: .init(Self.id), attempt: 1).text == "SSRV-1BBZ")
    }

    @Test("The secrets of codes, phone numbers and tokens have known values")
    func secretsAreKnown() throws {
        let keys = try keys()
        let stamp = keys.stampCode(for: .init(Self.id), attempt: 0)
        let redemption = keys.redemptionCode(for: .init(Self.id), attempt: 0)
        #expect(try keys.secret(ofStampCode: stamp).value == number("a793c33aefeedd99051194078d78a98d"))
        #expect(try keys.secret(ofRedemptionCode: redemption).value == number("62b4a4f5cebf4063ddba7bcc90b33ec3"))
        #expect(try keys.secret(ofPhone: "+8613800138000").value == number("a5a109f6e6d674841776013b872cdcc3"))
        #expect(try keys.secret(ofToken: "opaque-token").value == number("b95e5bbd32fa041e2a9527853f4ae406"))
    }

    @Test("The mark of a request has known values")
    func marksAreKnown() throws {
        let mark = try keys().mark(account: .init(Self.id), key: "key-1", content: Array("POST /v1/stamps {}".utf8))
        #expect(try mark.request == number("705dac9dd238c32b0a7aaf00ad2705f9"))
        #expect(try mark.formerDigest == number("931abf9b22950dbbead81171c13ac6e4"))
        #expect(try mark.digest == number("3489de0f3a8e1e490453590ce74f3aa8"))
    }

    @Test("An author's handle has a known value, and differs at another shop and for another account")
    func handles() throws {
        let keys = try keys()
        let handles = [
            keys.handle(of: .init(1), at: .init(Self.id)), keys.handle(of: .init(2), at: .init(Self.id)),
            keys.handle(of: .init(1), at: .init(Self.id + 1)), try self.keys(1).handle(of: .init(1), at: .init(Self.id)),
        ]
        #expect(handles.prefix(2) == ["we5r8s5cvk2zeww3", "3xvv3t12qtx8kjfw"])
        #expect(Set(handles).count == 4 && handles.allSatisfy { $0.utf8.count == 16 })
    }

    @Test("An unregistered phone number leads to one fixed id that no account has")
    func nobody() throws {
        let keys = try keys()
        #expect(try keys.nobody(withPhone: "+8613800138000").value == number("37db80fdc6295aab18b25c0916eeb3e8"))
        #expect(keys.nobody(withPhone: "+8613800138001") != keys.nobody(withPhone: "+8613800138000"))
    }

    @Test("A picture's id has a known value, and differs for another sender, other bytes and another service")
    func pictures() throws {
        let digest = [UInt8](0..<32)
        let id = try keys().picture(digest: digest, sentBy: .init(Self.id))
        #expect(try id.value == number("59da020fa344cfcfe3904b75cb4ece6a"))
        #expect(try keys().picture(digest: digest, sentBy: .init(Self.id + 1)) != id)
        #expect(try keys().picture(digest: digest.reversed(), sentBy: .init(Self.id)) != id)
        #expect(try keys(1).picture(digest: digest, sentBy: .init(Self.id)) != id)
    }

    @Test("The seed of the token signing key has a known value")
    func signingSeed() throws {
        #expect(Bytes.hex(try keys().tokenSigningSeed) == "5ccf1cc22beff2478b546d90c2daeda121bbe2e20adef1c3f58703274c484896")
    }

    @Test("The seed of the checkpoint key has a known value")
    func checkpointValue() throws {
        #expect(Bytes.hex(try keys().checkpointSeed) == "d13bf44c29dc01828e6844a0c6d35296206779f25bda18d990580bae2e46de95")
    }

    @Test("The secret of a shared log's entries has a known value")
    func entryValue() throws {
        #expect(Bytes.hex(try keys().entrySecret) == "42849714fb8dfa690061e891926d0eb607abfd35b52831af9adc7c38b2e9c72c")
    }

    @Test("The secret of requests between nodes has a known value")
    func nodeValue() throws {
        #expect(Bytes.hex(try keys().nodeSecret) == "c495e95ab40d597bec05140ca93b7e06c56bccb1922d305c8cfebcb8c269e9e6")
    }

    @Test("Each kind of secret and code is derived with a key of its own")
    func ownKeys() throws {
        let keys = try keys()
        let code = keys.stampCode(for: .init(Self.id), attempt: 0)
        let values = [
            keys.secret(ofStampCode: code), keys.secret(ofRedemptionCode: code), keys.secret(ofPhone: "x"), keys.secret(ofToken: "x"),
        ]
        #expect(Set(values).count == values.count)
        #expect(code != keys.redemptionCode(for: .init(Self.id), attempt: 0))
    }

    @Test("A mark's request number depends on account and key, and its digest on the content")
    func markParts() throws {
        let keys = try keys()
        let mark = keys.mark(account: .init(1), key: "a", content: [1])
        let other = keys.mark(account: .init(2), key: "a", content: [1])
        #expect(mark.request != other.request)
        #expect(mark.request != keys.mark(account: .init(1), key: "b", content: [1]).request)
        #expect(mark.request == keys.mark(account: .init(1), key: "a", content: [2]).request)
        #expect(mark.digest != keys.mark(account: .init(1), key: "a", content: [2]).digest)
    }

    @Test("A reader with the log and the secrets cannot test guesses of a request without its idempotency key")
    func digestNeedsTheKey() throws {
        let keys = try keys()
        let mark = keys.mark(account: .init(1), key: "a", content: [1])
        for other in [keys.mark(account: .init(1), key: "b", content: [1]), keys.mark(account: .init(2), key: "a", content: [1])] {
            #expect(mark.digest != other.digest && mark.digest != other.formerDigest)
        }
    }

    @Test("Another master secret gives other codes, secrets and seeds")
    func otherMaster() throws {
        let (one, two) = (try keys(), try keys(1))
        #expect(one.stampCode(for: .init(1), attempt: 0) != two.stampCode(for: .init(1), attempt: 0))
        #expect(one.secret(ofPhone: "x") != two.secret(ofPhone: "x"))
        #expect(one.tokenSigningSeed != two.tokenSigningSeed)
    }
}
