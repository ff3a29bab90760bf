import Testing

@testable import LoyaltyCodec

/// Compares HMAC-SHA256 with the vectors of RFC 4231: short keys, long messages, and a key that is longer than a block.
struct HashKeyTests {
    private static let cases: [(key: [UInt8], message: [UInt8], code: String)] = [
        (.init(repeating: 0x0b, count: 20), Array("Hi There".utf8), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        (
            Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            .init(repeating: 0xaa, count: 20), .init(repeating: 0xdd, count: 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        (
            .init(repeating: 0xaa, count: 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ]

    @Test("HMAC-SHA256 gives the codes of RFC 4231, also when a key is used again", arguments: cases.indices)
    func vectors(_ index: Int) throws {
        let (bytes, message, code) = Self.cases[index]
        let key = HashKey(bytes)
        #expect(Bytes.hex(key.hash(message)) == code)
        #expect(key.number(message) == UInt128(code.prefix(32), radix: 16))
        // The key can be used repeatedly.
        #expect(Bytes.hex(key.hash(message)) == code)
    }
}
