import LoyaltyCodec
import Testing

struct TypedCodeTests {
    @Test(
        "A code is read from the forms in which people type it, and shown in one form",
        arguments: [
            ("K7QF-2M9X", "K7QF-2M9X"), ("k7qf2m9x", "K7QF-2M9X"), (" k7-qf 2m-9x ", "K7QF-2M9X"), ("K7QF--2M9X", "K7QF-2M9X"),
            ("ILOilo00", "1101-1000"), ("oooooooo", "0000-0000"), ("zzzzzzzz", "ZZZZ-ZZZZ"), ("0123-4567", "0123-4567"),
            ("Ｋ７ｑｆ－２Ｍ９Ｘ", "K7QF-2M9X"), ("K7QF–2M9X", "K7QF-2M9X"), ("K7QF\u{2011}2M9X\n", "K7QF-2M9X"),
            ("\u{3000}K7QF\t2M9X\u{A0}", "K7QF-2M9X"),
            ("89ABCDEF", "89AB-CDEF"), ("ghjkmnpq", "GHJK-MNPQ"), ("rstvwxyz", "RSTV-WXYZ"),
        ])
    func readsWhatPeopleType(_ typed: String, _ shown: String) throws {
        let code = try #require(TypedCode(typed: typed))
        #expect(code.text == shown)
        #expect(TypedCode(typed: code.text) == code)
    }

    @Test(
        "A text of another length or with a foreign character is no code",
        arguments: [
            "", "-", "        ", "K7QF-2M9", "K7QF-2M9XX", "K7QF-2M9U", "u7QF-2M9X", "K7QF_2M9X", "K7QF-2M9é", "Ｕ7QF-2M9X",
            "K7QF\u{200B}2M9X",
            "K7QF-2M9\0", "K7QF.2M9X", "茶茶茶茶茶茶茶茶",
        ])
    func refusesTheRest(_ typed: String) {
        #expect(TypedCode(typed: typed) == nil)
    }

    @Test("The ASCII characters allowed between symbols are the blanks and dashes of Unicode's tables")
    func betweenSymbols() throws {
        for scalar in (0..<128).compactMap(Unicode.Scalar.init) {
            let mayStand = scalar.properties.isWhitespace || scalar.properties.generalCategory == .dashPunctuation
            #expect((TypedCode(typed: "K7QF\(scalar)2M9X") != nil) == mayStand, "U+\(String(scalar.value, radix: 16))")
        }
    }

    @Test("The first symbol of a code is the most significant one")
    func symbolOrder() throws {
        #expect(try #require(TypedCode(typed: "00000001")).bits == 1)
        #expect(try #require(TypedCode(typed: "10000000")).bits == 1 << 35)
        #expect(try #require(TypedCode(typed: "ZZZZZZZZ")).bits == 1 << 40 - 1)
    }

    @Test("Every symbol of the alphabet has its place in it as its value")
    func everySymbolReadsBack() throws {
        for (value, symbol) in "0123456789ABCDEFGHJKMNPQRSTVWXYZ".enumerated() {
            #expect(try #require(TypedCode(typed: "0000000\(symbol)")).bits == UInt64(value))
        }
    }
}
