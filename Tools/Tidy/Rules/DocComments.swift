/// Every type that other targets see has a doc comment, and in the libraries for others every function as well. Comments begin with their
/// subject: a relative clause at the beginning ("What a shop…") makes the reader wait for its noun.
///
/// In the service itself, a function's name, types and tests say what it is for; a comment there has a reason or a contract. A protocol's
/// comment suffices for the functions of a type that conforms to it.
struct DocComments: Rule {
    let name = "doc-comment"

    /// The libraries for others.
    private static let libraries = ["Sources/EventLog/", "Sources/LMDB/", "Sources/Merkle/"]
    private static let openings: Set<Substring> = ["What", "Who", "Whoever", "Whose", "Of", "That", "Where"]
    /// Conformance to these protocols alone does not exempt functions.
    private static let plain: Set<Substring> = ["Sendable", "Hashable", "Equatable", "Comparable", "Error", "Copyable", "Escapable"]

    let good: KeyValuePairs = [
        "Sources/A/A.swift": "/// A thing.\n///\n/// What is absent stays.\npublic struct A {\n    public init() {}\n}\n",
        "Sources/A/B.swift": "extension A {\n    public func a() {}\n}\n",
        "Sources/LMDB/A.swift": "/// Does it.\n@inlinable\npublic func a() {}\nfunc b() {}\n",
        "Sources/LMDB/B.swift": "extension A: B {\n    public func c() {}\n}\n",
        "Sources/LMDB/C.swift": "/// A thing.\npublic struct A: Sendable, B {\n    public func c() {}\n}\n",
    ]
    let bad: KeyValuePairs = [
        "Sources/A/A.swift": "public struct A {}\n",
        "Sources/A/B.swift": "package final class A {}\n",
        "Sources/A/C.swift": "// Whoever asks again gets this.\n",
        "Sources/Merkle/A.swift": "extension A {\n    public func a() {}\n}\n",
        "Sources/EventLog/A.swift": "/// A thing.\npublic struct A: Hashable {\n    public func a() {}\n}\n",
        "Sources/EventLog/B.swift": "// not a doc comment\n@inlinable\npackage func a() {}\n",
    ]

    func findings(in file: SourceFile) -> [Finding] {
        guard file.isSwift else { return [] }
        return file.lines.indices.compactMap { index in
            if let word = opening(of: index, in: file), Self.openings.contains(word) {
                return finding(file, line: index + 1, "begin with the subject, not with `\(word)`")
            }
            guard let name = nameToExplain(at: index, in: file) else { return nil }
            let above = file.lines[..<index].last { !$0.dropFirst($0.indent).hasPrefix("@") } ?? ""
            guard !above.dropFirst(above.indent).hasPrefix("///") else { return nil }
            return finding(file, line: index + 1, "say what `\(name)` is for, with ///")
        }
    }

    private func opening(of index: Int, in file: SourceFile) -> Substring? {
        // Comments are blank in the code. Other lines with `//` are inside a string literal.
        let isComment = { (index: Int) in
            file.lines[index].contains("//") && file.code[index].indent == file.code[index].utf8.count
        }
        guard isComment(index), index == 0 || !isComment(index - 1) else { return nil }
        return file.lines[index].drop { $0 == " " || $0 == "/" }.prefix { $0.isLetter }
    }

    private func nameToExplain(at index: Int, in file: SourceFile) -> Substring? {
        let line = file.code[index]
        guard file.path.hasPrefix("Sources/"), line.contains("public ") || line.contains("package ") else { return nil }
        let form = #/^ *(?:[\w@()]+ )*(?:public|package) (?:\w+ )*(struct|class|enum|actor|protocol|func) (\w+)/#
        guard let (_, kind, name) = line.firstMatch(of: form)?.output else { return nil }
        guard kind == "func" else { return name }
        return Self.libraries.contains(where: file.path.hasPrefix) && !fulfilsProtocol(at: index, in: file) ? name : nil
    }

    private func fulfilsProtocol(at index: Int, in file: SourceFile) -> Bool {
        let outer = file.code[..<index].last { !$0.isEmpty && $0.indent < file.code[index].indent } ?? ""
        guard let colon = outer.firstIndex(of: ":") else { return false }
        return outer[colon...].split { !($0.isLetter || $0.isNumber || $0 == "_") }.contains { !Self.plain.contains($0) }
    }
}
