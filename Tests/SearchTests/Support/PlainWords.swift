import Foundation

/// Matches words independently of the code under test: it scans whole texts without an index.
struct PlainWords {
    /// Words that match by prefix.
    private let words: [[UInt8]]
    /// Runs of Chinese characters that match by substring.
    private let stretches: [[UInt8]]

    init(_ texts: String...) {
        var (words, stretches): ([[UInt8]], [[UInt8]]) = ([], [])
        for text in texts {
            for (piece, isChinese) in Self.pieces(text) {
                if isChinese { stretches.append(Array(piece.utf8)) } else { words.append(Array(piece.utf8)) }
            }
        }
        (self.words, self.stretches) = (words, stretches)
    }

    /// Splits a typed text into words and runs of Chinese characters.
    static func query(_ text: String) -> [(piece: [UInt8], isChinese: Bool)] {
        pieces(text).map { (Array($0.utf8), $1) }
    }

    func contains(_ query: [(piece: [UInt8], isChinese: Bool)]) -> Bool {
        !query.isEmpty
            && query.allSatisfy { piece, isChinese in
                isChinese
                    ? stretches.contains { Self.contains($0, piece) }
                    : words.contains { $0.count >= piece.count && $0[0] == piece[0] && $0.starts(with: piece) }
            }
    }

    private static func contains(_ text: [UInt8], _ piece: [UInt8]) -> Bool {
        text.count >= piece.count && (0...(text.count - piece.count)).contains { text[$0...].starts(with: piece) }
    }

    /// Splits a text into words and runs of Chinese characters, in lower case, in narrow letters and without diacritics.
    private static func pieces(_ text: String) -> [(String, Bool)] {
        let narrow = text.lowercased().unicodeScalars.map { (0xFF01...0xFF5E).contains($0.value) ? Unicode.Scalar($0.value - 0xFEE0)! : $0 }
        var plain = String(String.UnicodeScalarView(narrow)).decomposedStringWithCanonicalMapping.unicodeScalars
            .filter { !(0x300...0x36F).contains($0.value) }.reduce(into: "") { $0.unicodeScalars.append($1) }
        // The text is composed again, so that letters with an inherent mark, such as й, stay themselves.
        plain = plain.precomposedStringWithCanonicalMapping.replacing("ø", with: "o").replacing("ß", with: "ss").replacing("ⅱ", with: "ii")
            .replacing("№", with: "no")
        var (pieces, last): ([(String, Bool)], Character) = ([], " ")
        for character in plain {
            let (kind, lastKind) = (Self.kind(character), Self.kind(last))
            last = character
            guard let kind else { continue }
            if kind == lastKind { pieces[pieces.count - 1].0.append(character) } else { pieces.append((String(character), kind)) }
        }
        return pieces
    }

    /// Returns true for a Chinese character, false for any other letter or digit, and nil for any other character.
    private static func kind(_ character: Character) -> Bool? {
        let value = character.unicodeScalars.first!.value
        if (0x4E00...0x9FFF).contains(value) { return true }
        return character.isLetter || character.isNumber ? false : nil
    }
}
