import Testing

@testable import Merkle

@Suite struct DecimalTests {
    @Test(
        "A decimal number from 0 to 2^64 - 1 is read",
        arguments: [("0", 0), ("1", 1), ("10", 10), ("18446744073709551615", UInt64.max)] as [(String, UInt64)])
    func numbersAreRead(_ text: String, _ number: UInt64) {
        #expect(Decimal.number(Array(text.utf8)[...], max: .max) == number)
    }

    @Test(
        "A number with a sign, a space, a leading zero or 65 bits is refused",
        arguments: ["", "00", "01", "-1", "+1", " 1", "1 ", "1.0", "0x1", "１", "18446744073709551616", "99999999999999999999"])
    func otherTextIsRefused(_ text: String) {
        #expect(Decimal.number(Array(text.utf8)[...], max: .max) == nil)
    }

    @Test("The greatest permitted number is read, and the next one is refused")
    func theBoundIsTheLastNumberTaken() {
        #expect(Decimal.number(Array("255".utf8)[...], max: 255) == 255)
        #expect(Decimal.number(Array("256".utf8)[...], max: 255) == nil)
    }
}
