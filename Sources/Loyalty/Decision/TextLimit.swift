/// The limits of a text that people write, in Unicode scalars: a limit in bytes would be unfair to Chinese, and one in graphemes bounds
/// nothing.
public struct TextLimit: Hashable, Sendable {
    public let scalars: ClosedRange<Int>
    /// Line ends and tabs.
    public let allowsLines: Bool
    /// Punctuation alone is no name.
    private let isName: Bool

    /// - Parameter isName: nil for every text of a single line.
    public init(scalars: ClosedRange<Int>, allowsLines: Bool = false, isName: Bool? = nil) {
        (self.scalars, self.allowsLines) = (scalars, allowsLines)
        self.isName = isName ?? !allowsLines
    }

    public var utf8BytesMax: Int { scalars.upperBound * 4 }

    public func fault(in text: String) -> FieldFault? {
        // Checked first, in O(1), so that an enormous text is not read.
        guard text.utf8.count <= utf8BytesMax, scalars.contains(text.unicodeScalars.count) else { return .characters(scalars) }
        guard text.unicodeScalars.allSatisfy(isAllowed) else { return .controlCharacters(exceptLines: allowsLines) }
        guard text.unicodeScalars.allSatisfy(\.isCharacter) else { return .noncharacters }
        if let fault = directionFault(in: text) { return fault }
        // A text that may be empty may also be blank.
        guard scalars.lowerBound == 0 || text.unicodeScalars.contains(where: { $0.isWord || !isName && $0.isPunctuation }) else {
            return .nothingVisible
        }
        return nil
    }

    /// Direction controls in a name could reverse the text beside it. In a longer text, each must be closed on its line.
    private func directionFault(in text: String) -> FieldFault? {
        guard allowsLines else { return text.unicodeScalars.contains { $0.direction != nil } ? .directionControls : nil }
        return text.hasBalancedDirections ? nil : .openDirection
    }

    private func isAllowed(_ scalar: Unicode.Scalar) -> Bool { scalar.breaksLines ? allowsLines : !scalar.isControl }
}

extension Unicode.Scalar {
    /// Controls can move a terminal's cursor and forge lines of a log.
    var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }

    var breaksLines: Bool {
        switch value {
        case 0x09, 0x0A, 0x0D, 0x2028, 0x2029: true
        default: false
        }
    }

    /// Not one of the 66 noncharacters of Unicode.
    var isCharacter: Bool { value & 0xFFFE != 0xFFFE && !(0xFDD0...0xFDEF).contains(value) }

    /// A name of spaces, joiners or bare accents would be an empty line in a list.
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

    /// No other Unicode property tells which scalars look blank, and names never change.
    private var isNamedBlank: Bool {
        let words = properties.name?.split(separator: " ") ?? []
        return words.last == "BLANK" || words.dropLast().contains("NULL") || words.suffix(2) == ["REPLACEMENT", "CHARACTER"]
    }
}

enum TextDirection: Hashable {
    /// Without effect on the text after it.
    case mark
    /// Lasts to the end of the line or to ``closesEmbedding``.
    case embedding
    /// Lasts to the end of the line or to ``closesIsolate``.
    case isolate
    case closesEmbedding
    case closesIsolate
}

extension Unicode.Scalar {
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
    /// Whether all embeddings and isolates are closed on their line, so that the text around keeps its order.
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
