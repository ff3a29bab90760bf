/// Blanks comments and string literals in Swift source, so that a search for a word finds only code. Lines and columns stay.
///
/// Code in an interpolation is not blanked. A regex literal is code. The formatter refuses block comments.
struct CodeMask {
    private let source: [UInt8]
    private var output: [UInt8] = []
    private var place = 0

    static func masked(_ text: String) -> String {
        var mask = CodeMask(source: Array(text.utf8))
        mask.readCode()
        return String(decoding: mask.output, as: UTF8.self)
    }

    private init(source: [UInt8]) {
        self.source = source
        output.reserveCapacity(source.count)
    }

    /// Reads to the end of the text, or past the parenthesis that closes an interpolation.
    private mutating func readCode(inInterpolation: Bool = false) {
        var depth = 1
        while place < source.count, depth > 0 || !inInterpolation {
            if isNext("//") {
                while place < source.count, !isNext("\n") { blank(1) }
            } else if isNext("\"") || isNext("#") {
                readString()
            } else {
                if isNext("(") { depth += 1 } else if isNext(")") { depth -= 1 }
                keep(1)
            }
        }
    }

    /// Reads a string literal. A `#` without a quotation mark behind it is code.
    private mutating func readString() {
        let hashes = String(repeating: "#", count: source[place...].prefix { $0 == UInt8(ascii: "#") }.count)
        keep(hashes.count)
        guard isNext("\"") else { return }
        let quotes = isNext("\"\"\"") ? "\"\"\"" : "\""
        keep(quotes.count)
        // A quotation mark in a regular expression begins no string, so the code goes on in the next line.
        while place < source.count, !isNext(quotes + hashes), quotes.count == 3 || !isNext("\n") {
            if isNext("\\" + hashes + "(") {
                keep(hashes.count + 2)
                readCode(inInterpolation: true)
            } else {
                blank(isNext("\\" + hashes) ? hashes.count + 2 : 1)
            }
        }
        keep(quotes.count + hashes.count)
    }

    private func isNext(_ text: String) -> Bool { source[place...].starts(with: text.utf8) }

    private mutating func keep(_ count: Int) {
        output += source[place...].prefix(count)
        place = min(place + count, source.count)
    }

    private mutating func blank(_ count: Int) {
        output += source[place...].prefix(count).map { $0 == UInt8(ascii: "\n") ? $0 : UInt8(ascii: " ") }
        place = min(place + count, source.count)
    }
}

/// Samples that `--self-test` checks, because every search for words depends on the mask.
enum CodeMaskSamples {
    private static let samples: KeyValuePairs = [
        "a // b": "a     ",
        "let a = \"b\"": "let a = \" \"",
        "let a = \"b\\\"c\" + d": "let a = \"    \" + d",
        "let a = \"b\\(c(\"d\"))e\" + f": "let a = \" \\(c(\" \")) \" + f",
        "let a = #\"b\"c\\#(d)\"# + e": "let a = #\"   \\#(d)\"# + e",
        "a(/\"/)\n\"b\"": "a(/\"  \n\" \"",
        "let a = \"\"\"\n    b \"c\" // d\n    \"\"\"\ne": "let a = \"\"\"\n              \n    \"\"\"\ne",
    ]

    static func failures() -> [String] {
        samples.compactMap { source, masked in
            let found = CodeMask.masked(source)
            return found == masked ? nil : "code mask: \(source) gives \(found), not \(masked)"
        }
    }
}
