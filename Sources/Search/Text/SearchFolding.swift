internal import Foundation

/// What makes two spellings of one word the same: case, accents, width and other compatibility forms do not count.
enum SearchFolding {
    /// Letters that differ from a plain one by a stroke or a ligature, which no decomposition takes off.
    private static let plain: [Unicode.Scalar: String] = [
        "ß": "ss", "ς": "σ", "ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d",
    ]

    /// The text in its comparable form. Folding twice changes nothing.
    ///
    /// Compatibility decomposition (Unicode Standard Annex 15) takes width, ligatures and accents apart; then the accents are dropped
    /// and what belongs together, such as kana with their voicing marks and Hangul, is put together again.
    static func folded(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.decomposedStringWithCompatibilityMapping.lowercased().unicodeScalars where !isAccent(scalar) {
            if let letters = plain[scalar] { scalars.append(contentsOf: letters.unicodeScalars) } else { scalars.append(scalar) }
        }
        return String(scalars).precomposedStringWithCanonicalMapping
    }

    /// Combining diacritics, and selectors of a glyph's variant. Marks of scripts that cannot do without theirs are none of these.
    private static func isAccent(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0300...0x036F, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE00...0xFE0F, 0xFE20...0xFE2F, 0xE0100...0xE01EF:
            true
        default: false
        }
    }
}
