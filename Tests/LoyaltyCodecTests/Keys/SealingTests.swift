import Loyalty
import LoyaltyCodec
import Testing

struct SealingTests {
    private static let account = AccountID(0x0189_0A5D_AC96_774B_BCCE_B302_099A_8057)
    private static let nonce: [UInt8] = Array(0..<12)

    private func key(_ first: UInt8 = 32) throws -> DataKey {
        try DataKey(bytes: (0..<32).map { first + $0 })
    }

    private func sealed(_ text: String = "+8613800138000") throws -> Sealed {
        try Sealing.seal(text, field: .phone, of: Self.account, under: try key(), nonce: Self.nonce)
    }

    @Test("A sealed text has known bytes")
    func bytesAreKnown() throws {
        let expected = "01000102030405060708090a0b776a6b96790ddbdc8dcaf1f616438dae891b85669d0f0f8ab02dc940e648"
        #expect(Bytes.hex(try sealed().bytes) == expected)
    }

    @Test(
        "A text sealed in any field opens again, and sealing adds 29 bytes",
        arguments: ["", "+8613800138000", "抹茶拿铁 🧋", String(repeating: "长", count: 2_000)])
    func whatWasSealedOpens(_ text: String) throws {
        for field in SealedField.allCases {
            let sealed = try Sealing.seal(text, field: field, of: Self.account, under: try key(), nonce: Self.nonce)
            #expect(Sealing.open(sealed, field: field, of: Self.account, under: try key()) == text)
            #expect(sealed.bytes.count == 1 + 12 + text.utf8.count + 16)
        }
    }

    @Test("A sealed text does not open for another account, field or key")
    func wrongContext() throws {
        let sealed = try sealed()
        #expect(Sealing.open(sealed, field: .phone, of: AccountID(Self.account.value + 1), under: try key()) == nil)
        #expect(Sealing.open(sealed, field: .reviewText, of: Self.account, under: try key()) == nil)
        #expect(Sealing.open(sealed, field: .replyText, of: Self.account, under: try key()) == nil)
        #expect(Sealing.open(sealed, field: .phone, of: Self.account, under: try key(33)) == nil)
    }

    @Test("A member's name opens with both keys, of this member at this shop alone")
    func labels() throws {
        let (shop, keys) = (ShopID(5), LabelKeys(shop: try key(), member: try key(64)))
        let nonces = (shop: Self.nonce, member: Array(Self.nonce.reversed()))
        let sealed = try Sealing.seal(label: "阿美", of: Self.account, at: shop, under: keys, nonces: nonces)
        #expect(Sealing.open(label: sealed, of: Self.account, at: shop, under: keys) == "阿美")
        for wrong in [LabelKeys(shop: try key(33), member: try key(64)), LabelKeys(shop: try key(), member: try key(65))] {
            #expect(Sealing.open(label: sealed, of: Self.account, at: shop, under: wrong) == nil)
        }
        #expect(Sealing.open(label: sealed, of: AccountID(6), at: shop, under: keys) == nil)
        #expect(Sealing.open(label: sealed, of: Self.account, at: ShopID(6), under: keys) == nil)
    }

    @Test("A sealed text with any bit flipped does not open")
    func noBitMayBeAnother() throws {
        let sealed = try sealed()
        for index in sealed.bytes.indices {
            for bit: UInt8 in 0..<8 {
                var bytes = sealed.bytes
                bytes[index] ^= 1 << bit
                #expect(Sealing.open(Sealed(bytes), field: .phone, of: Self.account, under: try key()) == nil)
            }
        }
    }

    @Test("A sealed text that was cut or extended does not open")
    func cutOrExtended() throws {
        let sealed = try sealed()
        for count in 0..<sealed.bytes.count {
            let cut = Sealed(Array(sealed.bytes.prefix(count)))
            #expect(Sealing.open(cut, field: .phone, of: Self.account, under: try key()) == nil)
        }
        #expect(Sealing.open(Sealed(sealed.bytes + [0]), field: .phone, of: Self.account, under: try key()) == nil)
    }

    @Test("A nonce that does not have 12 bytes is refused", arguments: [0, 11, 13, 16])
    func aNonceHas12Bytes(_ count: Int) throws {
        let key = try key()
        let nonce = [UInt8](repeating: 1, count: count)
        #expect(throws: CodecError.self) {
            try Sealing.seal("x", field: .phone, of: Self.account, under: key, nonce: nonce)
        }
    }
}
