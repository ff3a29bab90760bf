internal import Foundation

/// A piece of folded text (``SearchFolding``): a word, or a run of characters that are not separated into words.
enum TextPiece: Hashable {
    /// Text of a script that separates words, found by its beginning.
    case word(String)
    /// Korean, a script without spaces, or pictures such as emoji. Any consecutive characters are found.
    case run([Unicode.Scalar])

    /// The pieces of a text. A piece ends at other characters, and where a word and a run meet.
    static func pieces(of text: String) -> [TextPiece] {
        var pieces: [TextPiece] = []
        var current: (isRun: Bool, scalars: [Unicode.Scalar])?
        for scalar in SearchFolding.folded(text).unicodeScalars {
            let isRun = scalar.standsAlone
            if let open = current, open.isRun != isRun || !(isRun || scalar.isPartOfWord) {
                pieces.append(TextPiece(open))
                current = nil
            }
            if isRun || scalar.isPartOfWord { current = (isRun, (current?.scalars ?? []) + [scalar]) }
        }
        if let current { pieces.append(TextPiece(current)) }
        return pieces
    }

    private init(_ piece: (isRun: Bool, scalars: [Unicode.Scalar])) {
        guard !piece.isRun else {
            self = .run(piece.scalars)
            return
        }
        var word = String.UnicodeScalarView()
        word.append(contentsOf: piece.scalars)
        self = .word(String(word))
    }
}

extension Unicode.Scalar {
    fileprivate var standsAlone: Bool {
        switch value {
        // Thai, Lao, Burmese and Khmer; Hangul, because Korean words get prefixes and suffixes; kana, bopomofo and Chinese characters.
        case 0x0E01...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x1100...0x11FF, 0xAC00...0xD7AF, 0x3005...0x3007, 0x3041...0x3096,
            0x30A1...0x30FA, 0x30FC...0x312F, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0x20000...0x3FFFF:
            true
        default: properties.generalCategory == .otherSymbol
        }
    }

    fileprivate var isPartOfWord: Bool {
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark, .spacingMark,
            .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
            true
        default: false
        }
    }
}

/// Folds different spellings of a word into one form, ignoring case, accents, width and other compatibility variants.
enum SearchFolding {
    private static let plain: [Unicode.Scalar: String] = [
        "ß": "ss", "ς": "σ", "ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d",
    ]

    /// The folded form in which texts are compared; folding it again changes nothing.
    ///
    /// Compatibility decomposition (Unicode Standard Annex 15) replaces wide characters and separates accents, which are dropped. Other
    /// marks, such as kana voicing, are composed again.
    static func folded(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.decomposedStringWithCompatibilityMapping.lowercased().unicodeScalars where !isAccent(scalar) {
            if let letters = plain[scalar] { scalars.append(contentsOf: letters.unicodeScalars) } else { scalars.append(scalar) }
        }
        return String(scalars).precomposedStringWithCanonicalMapping
    }

    /// A combining accent or a variation selector, but not a mark that a script needs, such as a Thai vowel sign.
    private static func isAccent(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0300...0x036F, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE00...0xFE0F, 0xFE20...0xFE2F, 0xE0100...0xE01EF:
            true
        default: false
        }
    }
}
