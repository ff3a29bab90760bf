import Loyalty
import Testing

@testable import LoyaltyCodec

/// Codes of paper cards are derived from keys, cannot be guessed from each other, and are parsed as leniently as other codes.
struct PaperCodeTests {
    private static let print = PrintID(0x0192_3456_789A_7000_8000_0000_0000_0001)

    private static func keys(_ byte: UInt8 = 7) throws -> Keys {
        Keys(try MasterSecret(bytes: Array(repeating: byte, count: MasterSecret.length)))
    }

    @Test("A paper card's code leads to its print's secret and to its number")
    func printAndNumber() throws {
        let keys = try Self.keys()
        let half = keys.printCode(for: Self.print, attempt: 0)
        for number in [0, 1, 499, 511] {
            let code = keys.paperCode(number, of: half)
            let found = try #require(keys.paper(in: code))
            #expect(found.number == number && found.secret == keys.secret(ofPrintCode: half))
            #expect(code.text.count == 19 && code.text.hasPrefix(half.text))
        }
    }

    @Test("A paper card's code with any bit flipped, or under another master secret, is refused")
    func flippedBit() throws {
        let keys = try Self.keys()
        let code = keys.paperCode(3, of: keys.printCode(for: Self.print, attempt: 0))
        // Any flipped bit invalidates the code, whether in the print's part, the number or the authentication bits.
        for bit in 0..<PaperCode.bitCount { #expect(keys.paper(in: PaperCode(bits: code.bits ^ (1 << UInt128(bit)))) == nil) }
        #expect(try Self.keys(8).paper(in: code) == nil)
    }

    @Test("The codes of paper cards keep their values for ever")
    func goldenCodes() throws {
        let keys = try Self.keys()
        // Golden value: printed cards carry this text, so a change would invalidate all of them.
        #expect(keys.paperCode(0, of: keys.printCode(for: Self.print, attempt: 0)).text == "9YRE-JCSM-01G3-4VN0")
        #expect(keys.paperCode(499, of: keys.printCode(for: Self.print, attempt: 1)).text == "GBJW-XBVR-Z745-SMDB")
        #expect(keys.printCode(for: Self.print, attempt: 1) != keys.printCode(for: Self.print, attempt: 0))
        #expect(keys.stampCode(for: CodeID(Self.print.value), attempt: 0) != keys.printCode(for: Self.print, attempt: 0))
    }

    @Test("A typed paper code is read with any case, blanks and look-alike letters, and not with a wrong symbol")
    func lenient() throws {
        let keys = try Self.keys()
        let code = keys.paperCode(42, of: keys.printCode(for: Self.print, attempt: 0))
        let plain = code.text.filter { $0 != "-" }
        #expect(PaperCode(typed: code.text) == code)
        #expect(PaperCode(typed: plain.lowercased()) == code)
        #expect(PaperCode(typed: " " + plain.map { "\($0) " }.joined()) == code)
        #expect(PaperCode(typed: plain.replacing("0", with: "O").replacing("1", with: "l")) == code)
        for wrong in ["", String(plain.dropLast()), plain + "0", "U" + plain.dropFirst(), "/p/" + plain] {
            #expect(PaperCode(typed: wrong) == nil)
        }
    }
}
