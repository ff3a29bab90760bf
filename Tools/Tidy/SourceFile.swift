import Foundation

/// A file of the repository, with properties that the rules need, computed once.
struct SourceFile: Sendable {
    /// The path relative to the repository's root, with `/` as the separator.
    let path: String
    let lines: [String]
    /// For Swift, `lines` with comments and the contents of string literals blanked; for other files, the same as `lines`.
    let code: [String]

    init(path: String, text: String) {
        self.path = path
        lines = Self.lines(of: text)
        code = path.hasSuffix(".swift") ? Self.lines(of: CodeMask.masked(text)) : lines
    }

    /// Whether the file is Swift code that is not generated.
    var isSwift: Bool { path.hasSuffix(".swift") && !isGenerated }

    /// Whether the file is generated Swift. The rules then apply to its source and to the generator instead.
    var isGenerated: Bool { path.hasSuffix(".pb.swift") || path.hasSuffix(".generated.swift") }

    /// Whether the file is a shell script.
    var isShell: Bool { lines.first.map { $0.hasPrefix("#!") && ($0.hasSuffix("bash") || $0.hasSuffix("/sh")) } ?? false }

    /// Whether the file is a Python script.
    var isPython: Bool { path.hasSuffix(".py") || lines.first.map { $0.hasPrefix("#!") && $0.hasSuffix("python3") } ?? false }

    /// The library layer that the file belongs to, such as `EventLog` for `Sources/EventLog/Log/EventLog.swift`.
    var layer: String? { folder(under: "Sources/") }

    /// Whether the file is code that ships: a library, the service, or a tool.
    var isShipped: Bool { path.hasPrefix("Sources/") || path.hasPrefix("Tools/") }

    /// The folder of the file, such as `Sources/EventLog/Log`.
    var folder: String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "" }

    /// The file's name without folders and extension, such as `Card+Evolve`.
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
    /// Whether the bytes of `word` occur in the text.
    ///
    /// The standard library's method compares characters and makes a dictionary for each search. The rules search each line for a hundred
    /// words, which then takes half a minute.
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

/// The repository whose files are checked.
struct Repository {
    let root: String

    /// Folders of the repository that people write to; build folders and data are not included.
    private static let places = ["Sources", "Tools", "Tests", ".ci"]
    /// The picture of the layers, which is the only drawing that a rule checks.
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
