/// What may stand in a signed note (C2SP signed-note).
enum NoteText {
    private static let firstPrintable = UInt8(ascii: " ")

    /// Whether bytes have no control characters but newlines. UTF-8 spells no other character with bytes below U+0020.
    static func isFree(ofControls bytes: some Sequence<UInt8>) -> Bool {
        bytes.allSatisfy { $0 >= firstPrintable || $0 == LineReader.newline }
    }

    /// Whether this can be one line of a note's text.
    static func isLine(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 >= firstPrintable }
    }

    /// Whether this may name a key: neither empty nor too long, without spaces, plus signs and control characters.
    static func isKeyName(_ name: String) -> Bool {
        isLine(name) && name.utf8.count <= MerkleLimits.keyNameBytesMax
            && name.unicodeScalars.allSatisfy { $0 != "+" && !$0.properties.isWhitespace }
    }
}
