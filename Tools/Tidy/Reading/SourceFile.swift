/// A file of the repository, with what the rules ask of it worked out once.
struct SourceFile: Sendable {
    /// From the repository's root, with `/`.
    let path: String
    let lines: [String]
    /// `lines` with comments and the insides of string literals blanked, for Swift; the same as `lines` for anything else.
    let code: [String]

    init(path: String, text: String) {
        self.path = path
        lines = Self.lines(of: text)
        code = path.hasSuffix(".swift") ? Self.lines(of: CodeMask.masked(text)) : lines
    }

    /// Swift that a person wrote.
    var isSwift: Bool { path.hasSuffix(".swift") && !isGenerated }

    /// Swift that a generator wrote: its source and the generator are what is looked after.
    var isGenerated: Bool { path.hasSuffix(".pb.swift") || path.hasSuffix(".generated.swift") }

    /// A script for a shell.
    var isShell: Bool { lines.first.map { $0.hasPrefix("#!") && ($0.hasSuffix("bash") || $0.hasSuffix("/sh")) } ?? false }

    /// A script for Python.
    var isPython: Bool { path.hasSuffix(".py") || lines.first.map { $0.hasPrefix("#!") && $0.hasSuffix("python3") } ?? false }

    /// The library layer that the file belongs to: `EventLog` for `Sources/EventLog/Log/EventLog.swift`.
    var layer: String? { folder(under: "Sources/") }

    /// Whether it is code that ships: a library, the service, or a tool.
    var isShipped: Bool { path.hasPrefix("Sources/") || path.hasPrefix("Tools/") }

    /// The folder that the file is in: `Sources/EventLog/Log`.
    var folder: String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "" }

    /// The file's name without folders and ending: `Card+Evolve`.
    var baseName: String {
        let file = path.split(separator: "/").last.map(String.init) ?? path
        return file.hasSuffix(".swift") ? String(file.dropLast(6)) : file
    }

    /// The name of the folder right under `parent` that the file is in.
    func folder(under parent: String) -> String? {
        guard path.hasPrefix(parent) else { return nil }
        let rest = path.dropFirst(parent.count).split(separator: "/")
        return rest.count > 1 ? String(rest[0]) : nil
    }

    private static func lines(of text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}
