import Foundation

/// A file of the repository, with properties that the rules need, computed once.
struct SourceFile: Sendable {
    /// Relative to the root, with `/` as the separator.
    let path: String
    let text: String
    let lines: [String]
    /// For Swift, `lines` with comments and string literals blanked.
    let code: [String]

    init(path: String, text: String) {
        (self.path, self.text) = (path, text)
        lines = Self.lines(of: text)
        code = path.hasSuffix(".swift") ? Self.lines(of: CodeMask.masked(text)) : lines
    }

    var isSwift: Bool { path.hasSuffix(".swift") && !isGenerated }

    /// The rules apply to the source and the generator of a generated file instead.
    var isGenerated: Bool { path.hasSuffix(".pb.swift") || path.hasSuffix(".generated.swift") }

    var isShell: Bool { lines[0].hasPrefix("#!") && (lines[0].hasSuffix("bash") || lines[0].hasSuffix("/sh")) }

    var isPython: Bool { path.hasSuffix(".py") || lines[0].hasPrefix("#!") && lines[0].hasSuffix("python3") }

    /// A library, the service, or a tool.
    var isShipped: Bool { path.hasPrefix("Sources/") || path.hasPrefix("Tools/") }

    private static func lines(of text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}

extension String {
    /// Compares bytes. The standard library's method makes a dictionary for each search, which takes half a minute for all rules.
    func contains(_ word: String) -> Bool {
        let (text, word) = (utf8.span, word.utf8.span)
        guard let first = word.isEmpty ? nil : word[0], text.count >= word.count else { return word.isEmpty }
        for start in 0...(text.count - word.count) where text[start] == first {
            var end = 1
            while end < word.count, text[start + end] == word[end] { end += 1 }
            if end == word.count { return true }
        }
        return false
    }

    /// Whether the text contains `word` other than behind a letter, a digit or one of `joints`.
    func hasWord(_ word: String, notBehind joints: Set<Character>) -> Bool {
        contains(word)
            && ranges(of: word).contains { range in
                guard let before = self[..<range.lowerBound].last else { return true }
                return !before.isLetter && !before.isNumber && !joints.contains(before)
            }
    }

    var indent: Int { utf8.prefix { $0 == UInt8(ascii: " ") }.count }
}

struct Repository {
    let root: String

    /// Folders that people write to, without build folders and data.
    private static let places = ["Sources", "Tools", "Tests", ".ci"]
    private static let endings = [".swift", ".md", ".py", ".sh", ".proto", ".yml", ".yaml", ".json"]

    /// In the order of paths.
    func files() throws -> [SourceFile] {
        var paths = try FileManager.default.contentsOfDirectory(atPath: root).filter { $0.hasSuffix(".swift") || $0.hasSuffix(".md") }
        for place in Self.places {
            guard let inside = FileManager.default.subpaths(atPath: root + "/" + place) else { continue }
            paths += inside.filter(isChecked).map { place + "/" + $0 }
        }
        return paths.sorted().compactMap { path in
            guard let data = FileManager.default.contents(atPath: root + "/" + path) else { return nil }
            return String(data: data, encoding: .utf8).map { SourceFile(path: path, text: $0) }
        }
    }

    private func isChecked(_ path: String) -> Bool {
        let name = path.split(separator: "/").last ?? ""
        guard !path.contains(".build"), !path.contains("__pycache__") else { return false }
        return !name.contains(".") || Self.endings.contains { name.hasSuffix($0) }
    }
}
