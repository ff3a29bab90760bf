import Foundation
import Seeds
import Testing

@testable import Merkle

@Suite struct Base64Tests {
    @Test("Base64 of up to a hundred bytes is Foundation's")
    func everyLengthAgreesWithFoundation() {
        var seed = SeededRandom.announced("Base64")
        for count in 0...100 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &seed) }
            let text = Base64.text(bytes)
            #expect(text == Data(bytes).base64EncodedString())
            #expect(Base64.bytes(Array(text.utf8)[...]) == bytes)
        }
    }

    /// Before padding, the last character of a text has unused bits. Exactly one value of these bits is accepted.
    @Test("Unused bits before the padding must be zero")
    func noBytesHaveTwoSpellings() {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let pad = UInt8(ascii: "=")
        #expect(alphabet.count { Base64.bytes([65, $0, pad, pad]) != nil } == 4)
        #expect(alphabet.count { Base64.bytes([65, 65, $0, pad]) != nil } == 16)
        #expect(alphabet.count { Base64.bytes([65, 65, 65, $0]) != nil } == 64)
    }

    @Test(
        "Text of another alphabet or length, or with wrong padding, is refused",
        arguments: [
            "A", "AA", "AAA", "AAAAA", "====", "A===", "AA=A", "=AAA", "AA==AAAA", "AA= ", "AAA\n", "AA\r\n", "-_AA", "ＡAAA",
        ])
    func otherTextIsRefused(_ text: String) {
        #expect(Base64.bytes(Array(text.utf8)[...]) == nil)
    }
}
