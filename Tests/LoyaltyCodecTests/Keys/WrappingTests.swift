import Loyalty
import LoyaltyCodec
import Testing

struct WrappingTests {
    private static let account = AccountID(0x0189_0A5D_AC96_774B_BCCE_B302_099A_8057)
    private static let nonce: [UInt8] = Array(0..<12)

    private func keys(_ first: UInt8 = 0) throws -> Keys {
        Keys(try MasterSecret(bytes: (0..<32).map { $0 + first }))
    }

    private func dataKey() throws -> DataKey { try DataKey(bytes: Array(32..<64)) }

    private func wrapped() throws -> [UInt8] {
        try keys().wrap(try dataKey(), for: Self.account, nonce: Self.nonce)
    }

    @Test("A wrapped key has known bytes")
    func bytesAreKnown() throws {
        let expected =
            "01000102030405060708090a0bc80a8606bab755af5d1e7e22c026011e492cea6a50e4a3cc847fa61859ee708d381f623063c61e8bcb44a8dfef385877"
        #expect(Bytes.hex(try wrapped()) == expected)
    }

    @Test("A wrapped key unwraps again, and its bytes do not contain the key")
    func unwraps() throws {
        #expect(try keys().unwrap(try wrapped(), for: Self.account) == dataKey())
        #expect(try wrapped().count == 61)
        #expect(!Bytes.contains(try wrapped(), Array(32..<64)))
    }

    @Test("A wrapped key does not unwrap for another account or under another master secret")
    func wrongContext() throws {
        let wrapped = try wrapped()
        let error = #expect(throws: CodecError.self) { try keys().unwrap(wrapped, for: AccountID(1)) }
        #expect(error?.code == .badKey)
        #expect(throws: CodecError.self) { try keys(1).unwrap(wrapped, for: Self.account) }
    }

    @Test("A wrapped key with a changed byte, or cut short, does not unwrap")
    func noByteMayBeAnother() throws {
        let (keys, wrapped) = (try keys(), try wrapped())
        for index in wrapped.indices {
            var bytes = wrapped
            bytes[index] ^= 0x40
            #expect(throws: CodecError.self) { try keys.unwrap(bytes, for: Self.account) }
            #expect(throws: CodecError.self) { try keys.unwrap(Array(wrapped.prefix(index)), for: Self.account) }
        }
    }
}
