/// The limits of a text that people write.
///
/// Length is counted in Unicode scalars: a grapheme may have any number of bytes, and a limit in bytes would be unfair to Chinese. A scalar
/// has at most four bytes, so the limit also bounds the bytes, and an event record stays far below its maximum of 65,535 bytes.
public struct TextLimit: Hashable, Sendable {
    public let scalars: ClosedRange<Int>
    /// Whether line ends and tabs may occur.
    public let allowsLines: Bool
    /// Whether the text names something. Then punctuation alone does not suffice, unless the text may be empty.
    private let isName: Bool

    /// - Parameter isName: whether the text names something; nil for every text of a single line.
    public init(scalars: ClosedRange<Int>, allowsLines: Bool = false, isName: Bool? = nil) {
        self.scalars = scalars
        self.allowsLines = allowsLines
        self.isName = isName ?? !allowsLines
    }

    /// The largest number of UTF-8 bytes that a text within the limit can have; a scalar takes at most four.
    public var utf8BytesMax: Int { scalars.upperBound * 4 }

    /// The first fault of `text`; `nil` if the text is allowed.
    public func fault(in text: String) -> FieldFault? {
        // The number of bytes is checked first, which is O(1), so that an enormous text is not read.
        guard text.utf8.count <= utf8BytesMax, scalars.contains(text.unicodeScalars.count) else {
            return .characters(scalars)
        }
        guard text.unicodeScalars.allSatisfy(isAllowed) else {
            return .controlCharacters(exceptLines: allowsLines)
        }
        guard text.unicodeScalars.allSatisfy(\.isCharacter) else { return .noncharacters }
        if let fault = directionFault(in: text) { return fault }
        // A text that may be empty may also consist of blanks alone.
        guard scalars.lowerBound == 0 || text.unicodeScalars.contains(where: { $0.isWord || !isName && $0.isPunctuation }) else {
            return .nothingVisible
        }
        return nil
    }

    /// A name must not contain controls of writing direction, which could reverse the text beside it. A longer text may need such controls
    /// for a paragraph in another language; each control must be closed before its line ends.
    private func directionFault(in text: String) -> FieldFault? {
        guard allowsLines else {
            return text.unicodeScalars.contains { $0.direction != nil } ? .directionControls : nil
        }
        return text.hasBalancedDirections ? nil : .openDirection
    }

    private func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        scalar.breaksLines ? allowsLines : !scalar.isControl
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is a C0, DEL or C1 control. Controls can move a terminal's cursor and forge lines of a log, and no name needs
    /// them.
    var isControl: Bool {
        value < 0x20 || (0x7F...0x9F).contains(value)
    }

    /// Whether the scalar is a tab, a line feed, a carriage return, or one of Unicode's line and paragraph separators.
    var breaksLines: Bool {
        switch value {
        case 0x09, 0x0A, 0x0D, 0x2028, 0x2029: true
        default: false
        }
    }

    /// Whether the scalar is not one of the 66 code points that Unicode reserves as noncharacters for ever.
    var isCharacter: Bool {
        value & 0xFFFE != 0xFFFE && !(0xFDD0...0xFDEF).contains(value)
    }

    /// Whether the scalar is a letter, a digit or a symbol that leaves a mark. A name of spaces, joiners or bare accents would be an empty
    /// line in a list, and nobody knows what an unassigned or private code point looks like.
    var isWord: Bool {
        guard !properties.isDefaultIgnorableCodePoint else { return false }
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .decimalNumber, .letterNumber, .otherNumber,
            .mathSymbol, .currencySymbol, .modifierSymbol:
            return true
        case .otherLetter, .otherSymbol: return !isNamedBlank
        default: return false
        }
    }

    var isPunctuation: Bool {
        switch properties.generalCategory {
        case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation,
            .otherPunctuation:
            true
        default: false
        }
    }

    /// Whether the name of a letter or symbol says that it looks blank or stands for something else. No other property of Unicode does, and
    /// names never change.
    private var isNamedBlank: Bool {
        let words = properties.name?.split(separator: " ") ?? []
        return words.last == "BLANK" || words.dropLast().contains("NULL") || words.suffix(2) == ["REPLACEMENT", "CHARACTER"]
    }
}

/// The effect of a control of writing direction (UAX 9, bidirectional algorithm, 2.1 to 2.6).
enum TextDirection: Hashable {
    /// An invisible mark that has no effect on the text after it.
    case mark
    /// A control that changes the direction up to the end of the line, or up to a control with the effect ``closesEmbedding``.
    case embedding
    /// A control that changes the direction up to the end of the line, or up to a control with the effect ``closesIsolate``.
    case isolate
    case closesEmbedding
    case closesIsolate
}

extension Unicode.Scalar {
    /// The effect of the scalar; `nil` if it does not control writing direction.
    var direction: TextDirection? {
        switch value {
        case 0x061C, 0x200E, 0x200F: .mark
        case 0x202A, 0x202B, 0x202D, 0x202E: .embedding
        case 0x202C: .closesEmbedding
        case 0x2066, 0x2067, 0x2068: .isolate
        case 0x2069: .closesIsolate
        default: nil
        }
    }
}

extension String {
    /// Whether every embedding and isolate is closed on its own line, innermost first, and no control closes an embedding or isolate that
    /// is not open. Such a text does not change the order of the text around it.
    var hasBalancedDirections: Bool {
        var open: [TextDirection] = []
        for scalar in unicodeScalars {
            if scalar.breaksLines, scalar.value != 0x09, !open.isEmpty { return false }
            switch scalar.direction {
            case nil, .mark: break
            case .embedding: open.append(.embedding)
            case .isolate: open.append(.isolate)
            case .closesEmbedding: if open.popLast() != .embedding { return false }
            case .closesIsolate: if open.popLast() != .isolate { return false }
            }
        }
        return open.isEmpty
    }
}
