/// Every type that is visible in other targets has a doc comment, and in the libraries for others every function and property as well.
///
/// In the service itself, a function's name, types and tests say what it is for; a comment there has a reason or a contract. Names suffice
/// for initialisers, operators, cases, stored properties, properties of one line, and standard members such as `description`. A protocol's
/// comment suffices for the functions and properties of a type that conforms to it.
struct DocComments: Rule {
    let name = "doc-comment"

    private static let fulfilments: Set<String> = [
        "description", "debugDescription", "errorDescription", "hash", "encode", "body", "rawValue", "startIndex", "endIndex",
    ]

    /// The libraries for others.
    private static let libraries = ["Sources/EventLog/", "Sources/LMDB/", "Sources/Merkle/"]

    let good = [
        SourceFile(path: "Sources/A/A.swift", text: "/// A thing.\npublic struct A {\n    public let b: Int\n    public init() {}\n}\n"),
        SourceFile(path: "Sources/A/A.swift", text: "extension A {\n    public func a() {}\n}\n"),
        SourceFile(path: "Sources/LMDB/A.swift", text: "/// Does it.\n@inlinable\npublic func a() {}\nfunc b() {}\n"),
        SourceFile(path: "Sources/LMDB/A.swift", text: "extension A {\n    public var b: Int { 1 }\n}\n"),
        SourceFile(path: "Sources/LMDB/A.swift", text: "extension A: B {\n    public func c() {}\n}\n"),
        SourceFile(path: "Sources/LMDB/A.swift", text: "/// A thing.\npublic struct A: Sendable, B {\n    public func c() {}\n}\n"),
    ]
    let bad = [
        SourceFile(path: "Sources/A/A.swift", text: "public struct A {}\n"),
        SourceFile(path: "Sources/Merkle/A.swift", text: "extension A {\n    public func a() {}\n}\n"),
        SourceFile(path: "Sources/EventLog/A.swift", text: "/// A thing.\npublic struct A: Hashable {\n    public func a() {}\n}\n"),
        SourceFile(path: "Sources/EventLog/A.swift", text: "// not a doc comment\n@inlinable\npackage func a() {}\n"),
    ]

    /// Conformance to these protocols alone does not exempt members.
    private static let plain: Set<String> = [
        "Sendable", "Hashable", "Equatable", "Comparable", "Error", "Copyable", "Escapable", "CaseIterable",
    ]

    func findings(in file: SourceFile) -> [Finding] {
        guard file.isSwift, file.path.hasPrefix("Sources/") else { return [] }
        return file.code.indices.compactMap { index in
            guard let found = Declarations.declaration(in: file.code[index]), needsComment(found, at: index, in: file) else { return nil }
            return hasComment(above: index, in: file) ? nil : finding(file, line: index + 1, "say what `\(found.name)` is for, with ///")
        }
    }

    private func needsComment(_ found: Declarations.Declaration, at index: Int, in file: SourceFile) -> Bool {
        guard found.isVisible, !Self.fulfilments.contains(found.name) else { return false }
        let isLibrary = Self.libraries.contains { file.path.hasPrefix($0) }
        switch found.kind {
        case "struct", "class", "enum", "actor", "protocol": return true
        case "func" where isLibrary: return found.name.first?.isLetter == true && !fulfilsProtocol(at: index, in: file)
        case "var" where isLibrary: return file.code[index].hasSuffix("{") && !fulfilsProtocol(at: index, in: file)
        default: return false
        }
    }

    /// Whether the declaration's type or extension conforms to a protocol with requirements.
    private func fulfilsProtocol(at index: Int, in file: SourceFile) -> Bool {
        let indent = file.code[index].prefix { $0 == " " }.count
        for line in file.code[..<index].reversed() where !line.allSatisfy({ $0 == " " }) {
            guard line.prefix(while: { $0 == " " }).count < indent, let outer = Declarations.declaration(in: line),
                outer.isType || outer.kind == "extension"
            else { continue }
            let head = line.split(separator: "{").first ?? ""
            guard let colon = head.firstIndex(of: ":") else { return false }
            let protocols = head[colon...].split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
            return protocols.contains { !Self.plain.contains($0) }
        }
        return false
    }

    private func hasComment(above index: Int, in file: SourceFile) -> Bool {
        var line = index - 1
        while line >= 0, file.lines[line].trimmingPrefix(while: { $0 == " " }).hasPrefix("@") { line -= 1 }
        return line >= 0 && file.lines[line].trimmingPrefix(while: { $0 == " " }).hasPrefix("///")
    }
}

/// Comments begin with their subject and use the words that an engineer expects.
///
/// A relative clause at the beginning ("What a shop…") makes the reader wait for its noun.
struct PlainWords: Rule {
    let name = "plain-words"

    private static let openings: Set<Substring> = ["What", "Who", "Whoever", "Whose", "Of", "That", "Where"]
    private static let phrases = [
        "is told", "somebody asks", "lets go", "has come to", "looks through", "who waits", "whoever", "as good as",
    ]

    let good = [
        SourceFile(path: "Sources/A/A.swift", text: "/// The answer to a request.\n///\n/// What is absent stays as it is.\nstruct A {}\n"),
        SourceFile(path: "Sources/A/A.swift", text: "let a = \"whoever\"\n"),
    ]
    let bad = [
        SourceFile(path: "Sources/A/A.swift", text: "/// What a request is answered.\nstruct A {}\n"),
        SourceFile(path: "Sources/A/A.swift", text: "// Whoever asks again gets this.\n"),
        SourceFile(path: "Sources/A/A.swift", text: "/// Kept for whoever asks again.\nstruct A {}\n"),
    ]

    func findings(in file: SourceFile) -> [Finding] {
        guard file.isSwift else { return [] }
        var (found, isGoingOn): ([Finding], Bool) = ([], false)
        for (index, line) in file.lines.enumerated() {
            // Only comment lines are examined, which are blank in `code`; other lines with `//` are inside a string literal.
            let text = line.drop { $0 == " " }
            guard text.hasPrefix("//"), file.code[index].allSatisfy({ $0 == " " }) else {
                isGoingOn = false
                continue
            }
            let words = text.drop { $0 == "/" }.drop { $0 == " " }
            let first = words.prefix { $0.isLetter }
            if !isGoingOn, Self.openings.contains(first) {
                found.append(finding(file, line: index + 1, "begin with the subject, not with `\(first)`"))
            }
            if let phrase = Self.phrases.first(where: { Self.contains($0, in: words) }) {
                found.append(finding(file, line: index + 1, "say it in plain words, without `\(phrase)`"))
            }
            isGoingOn = true
        }
        return found
    }

    /// Whether a text contains a phrase as whole words.
    private static func contains(_ phrase: String, in text: Substring) -> Bool {
        text.ranges(of: phrase).contains { range in
            (range.lowerBound == text.startIndex || !text[text.index(before: range.lowerBound)].isLetter)
                && (range.upperBound == text.endIndex || !text[range.upperBound].isLetter)
        }
    }
}
