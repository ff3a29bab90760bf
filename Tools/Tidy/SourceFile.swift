import Foundation

/// A file of the repository, with properties that the rules need, computed once.
struct SourceFile: Sendable {
    /// Relative to the root, with `/` as the separator.
    let path: String
    let lines: [String]
    /// For Swift, `lines` with comments and string literals blanked.
    let code: [String]

    init(path: String, text: String) {
        self.path = path
        lines = Self.lines(of: text)
        code = path.hasSuffix(".swift") ? Self.lines(of: CodeMask.masked(text)) : lines
    }

    var isSwift: Bool { path.hasSuffix(".swift") && !isGenerated }

    /// The rules apply to the source and the generator of a generated file instead.
    var isGenerated: Bool { path.hasSuffix(".pb.swift") || path.hasSuffix(".generated.swift") }

    var isShell: Bool { lines.first.map { $0.hasPrefix("#!") && ($0.hasSuffix("bash") || $0.hasSuffix("/sh")) } ?? false }

    var isPython: Bool { path.hasSuffix(".py") || lines.first.map { $0.hasPrefix("#!") && $0.hasSuffix("python3") } ?? false }

    /// Such as `EventLog` for `Sources/EventLog/Log/EventLog.swift`.
    var layer: String? { folder(under: "Sources/") }

    /// A library, the service, or a tool.
    var isShipped: Bool { path.hasPrefix("Sources/") || path.hasPrefix("Tools/") }

    /// Such as `Sources/EventLog/Log`.
    var folder: String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "" }

    /// Such as `Card+Evolve`.
    var baseName: String {
        let file = path.split(separator: "/").last.map(String.init) ?? path
        return file.hasSuffix(".swift") ? String(file.dropLast(6)) : file
    }

    /// The folder directly under `parent` that contains the file.
    func folder(under parent: String) -> String? {
        guard path.hasPrefix(parent) else { return nil }
        let rest = path.dropFirst(parent.count).split(separator: "/")
        return rest.count > 1 ? String(rest[0]) : nil
    }

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
}

struct Repository {
    let root: String

    /// Folders that people write to, without build folders and data.
    private static let places = ["Sources", "Tools", "Tests", ".ci"]
    /// The only drawing that a rule checks.
    static let drawing = "Sources/layers.svg"
    private static let topLevelEndings = [".swift", ".md"]
    private static let endings = [".swift", ".md", ".py", ".sh", ".proto", ".yml", ".yaml", ".json"]

    /// Every text file that the rules check, in the order of paths.
    func files() throws -> [SourceFile] {
        var paths = try FileManager.default.contentsOfDirectory(atPath: root).filter { name in
            Self.topLevelEndings.contains { name.hasSuffix($0) }
        }
        for place in Self.places { paths += try self.paths(under: place) }
        paths.append(Self.drawing)
        return paths.sorted().compactMap(file)
    }

    private func paths(under place: String) throws -> [String] {
        guard FileManager.default.fileExists(atPath: root + "/" + place) else { return [] }
        return try FileManager.default.subpathsOfDirectory(atPath: root + "/" + place)
            .map { place + "/" + $0 }
            .filter { path in
                let name = path.split(separator: "/").last ?? ""
                guard !path.contains("/.build"), !path.contains("__pycache__") else { return false }
                return !name.contains(".") || Self.endings.contains { name.hasSuffix($0) }
            }
    }

    private func file(_ path: String) -> SourceFile? {
        guard let data = FileManager.default.contents(atPath: root + "/" + path) else { return nil }
        return String(data: data, encoding: .utf8).map { SourceFile(path: path, text: $0) }
    }
}
