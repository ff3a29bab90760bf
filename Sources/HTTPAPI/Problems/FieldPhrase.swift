/// A complaint in two languages, with holes for what differs from case to case: `#` in English, in order; `#1`, `#2`… in Chinese.
struct FieldPhrase {
    let literals: [Substring]
    private let translation: String

    init(_ english: String, _ chinese: String) {
        literals = english.split(separator: "#", omittingEmptySubsequences: false)
        translation = chinese
    }

    /// What stands in the holes; nil where the complaint is another.
    func values(in complaint: String) -> [Substring]? {
        guard complaint.hasPrefix(literals[0]) else { return nil }
        var rest = complaint.dropFirst(literals[0].count)
        var values: [Substring] = []
        for (index, literal) in literals.enumerated().dropFirst() {
            // The last one ends the complaint; the others end the hole at once.
            let isLast = index == literals.count - 1
            guard let found = isLast ? Self.end(literal, of: rest) : rest.firstRange(of: literal), found.lowerBound > rest.startIndex else {
                return nil
            }
            values.append(rest[..<found.lowerBound])
            rest = rest[found.upperBound...]
        }
        return rest.isEmpty ? values : nil
    }

    func chinese(with values: [Substring]) -> String {
        values.enumerated().reduce(translation) { $0.replacing("#\($1.offset + 1)", with: $1.element) }
    }

    private static func end(_ literal: Substring, of text: Substring) -> Range<Substring.Index>? {
        guard text.hasSuffix(literal) else { return nil }
        return text.index(text.endIndex, offsetBy: -literal.count)..<text.endIndex
    }
}
