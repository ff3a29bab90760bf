/// Blanks comments and string literals in Swift source, so that a search for a word finds only code. Lines and columns stay.
///
/// Code in an interpolation is not blanked. Regex literals are not supported.
struct CodeMask {
    private enum Mode {
        /// With the number of open parentheses, which ends an interpolation.
        case code(parentheses: Int)
        case string(hashes: Int, isMultiline: Bool)
        case lineComment
        case blockComment(depth: Int)
    }

    private let source: [UInt8]
    private var output: [UInt8] = []
    private var place = 0
    private var modes: [Mode] = [.code(parentheses: 0)]

    static func masked(_ text: String) -> String {
        var mask = CodeMask(source: Array(text.utf8))
        while mask.place < mask.source.count { mask.step() }
        return String(decoding: mask.output, as: UTF8.self)
    }

    private init(source: [UInt8]) {
        self.source = source
        output.reserveCapacity(source.count)
    }

    private mutating func step() {
        switch modes[modes.count - 1] {
        case .code(let parentheses): stepInCode(parentheses)
        case .string(let hashes, let isMultiline): stepInString(hashes, isMultiline)
        case .lineComment:
            if source[place] == UInt8(ascii: "\n") { modes.removeLast() }
            blank()
        case .blockComment(let depth): stepInBlockComment(depth)
        }
    }

    private mutating func stepInCode(_ parentheses: Int) {
        if isNext("//") {
            modes.append(.lineComment)
        } else if isNext("/*") {
            modes.append(.blockComment(depth: 1))
            blank(2)
        } else if let (hashes, isMultiline) = stringOpening() {
            modes.append(.string(hashes: hashes, isMultiline: isMultiline))
            keep(hashes + (isMultiline ? 3 : 1))
        } else if isNext("(") {
            modes[modes.count - 1] = .code(parentheses: parentheses + 1)
            keep(1)
        } else if isNext(")") {
            if parentheses == 0, modes.count > 1 {
                modes.removeLast()
            } else {
                modes[modes.count - 1] = .code(parentheses: max(0, parentheses - 1))
            }
            keep(1)
        } else {
            keep(1)
        }
    }

    private mutating func stepInString(_ hashes: Int, _ isMultiline: Bool) {
        let fence = String(repeating: "#", count: hashes)
        if isNext("\\" + fence + "(") {
            modes.append(.code(parentheses: 0))
            keep(hashes + 2)
        } else if isNext("\\" + fence) {
            blank(hashes + 2)
        } else if isNext((isMultiline ? "\"\"\"" : "\"") + fence) {
            modes.removeLast()
            keep(hashes + (isMultiline ? 3 : 1))
        } else {
            blank()
        }
    }

    private mutating func stepInBlockComment(_ depth: Int) {
        if isNext("/*") {
            modes[modes.count - 1] = .blockComment(depth: depth + 1)
            blank(2)
        } else if isNext("*/") {
            if depth == 1 { modes.removeLast() } else { modes[modes.count - 1] = .blockComment(depth: depth - 1) }
            blank(2)
        } else {
            blank()
        }
    }

    /// The opening delimiter of a string literal that begins here.
    private func stringOpening() -> (hashes: Int, isMultiline: Bool)? {
        var end = place
        while end < source.count, source[end] == UInt8(ascii: "#") { end += 1 }
        guard end < source.count, source[end] == UInt8(ascii: "\"") else { return nil }
        let isMultiline = end + 2 < source.count && source[end + 1] == UInt8(ascii: "\"") && source[end + 2] == UInt8(ascii: "\"")
        return (end - place, isMultiline)
    }

    private func isNext(_ text: String) -> Bool {
        let bytes = text.utf8
        guard place + bytes.count <= source.count else { return false }
        return zip(source[place...], bytes).allSatisfy { $0 == $1 }
    }

    private mutating func keep(_ count: Int) {
        let end = min(place + count, source.count)
        output.append(contentsOf: source[place..<end])
        place = end
    }

    private mutating func blank(_ count: Int = 1) {
        let end = min(place + count, source.count)
        for byte in source[place..<end] { output.append(byte == UInt8(ascii: "\n") ? byte : UInt8(ascii: " ")) }
        place = end
    }
}

/// Samples that `--self-test` checks, because every search for words depends on the mask.
enum CodeMaskSamples {
    private static let samples: [(source: String, masked: String)] = [
        ("a // b", "a     "),
        ("a /* b /* c */ d */ e", "a                   e"),
        ("let a = \"b\"", "let a = \" \""),
        ("let a = \"b\\\"c\" + d", "let a = \"    \" + d"),
        ("let a = \"b\\(c(\"d\"))e\" + f", "let a = \" \\(c(\" \")) \" + f"),
        ("let a = #\"b\"c\\#(d)\"# + e", "let a = #\"   \\#(d)\"# + e"),
        ("let a = \"\"\"\n    b \"c\" // d\n    \"\"\"\ne", "let a = \"\"\"\n              \n    \"\"\"\ne"),
    ]

    static func failures() -> [String] {
        samples.compactMap { source, masked in
            let found = CodeMask.masked(source)
            return found == masked ? nil : "code mask: \(source) gives \(found), not \(masked)"
        }
    }
}
