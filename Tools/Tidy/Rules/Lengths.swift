/// Limits for files, functions and lines. A very short source file is usually a part of another file's subject.
struct Lengths: Rule {
    let name = "length"

    static let fileLinesMax = 400
    /// A script is often a single file.
    static let scriptLinesMax = 500
    static let fileLinesMin = 20
    /// Each with its reason.
    static let short = [
        "Sources/Console/ProductVersion.swift": "the one line that a release changes",
        "Sources/TillImport/Limits.swift": "each target has its limits in one place",
    ]
    static let functionLinesMax = 70
    static let lineCharactersMax = 140

    let good = [
        SourceFile(path: "Sources/A/A.swift", text: function(lines: functionLinesMax)),
        SourceFile(path: "Sources/A/A.swift", text: filler(lines: fileLinesMin)),
        SourceFile(path: "Tests/ATests/A.swift", text: filler(lines: 1)),
        SourceFile(path: "Sources/A/A.swift", text: "protocol A {\n    func a()\n    func b()\n}\n" + filler(lines: functionLinesMax + 1)),
        SourceFile(path: "Tests/ATests/A.swift", text: String(repeating: "é", count: lineCharactersMax)),
        SourceFile(path: "Sources/A/A.pb.swift", text: filler(lines: fileLinesMax + 100)),
    ]
    let bad = [
        SourceFile(path: "Sources/A/A.swift", text: function(lines: functionLinesMax + 1)),
        SourceFile(path: "Sources/A/A.swift", text: filler(lines: fileLinesMax + 1)),
        SourceFile(path: "Sources/A/A.swift", text: filler(lines: fileLinesMin - 1)),
        SourceFile(path: "Tools/run", text: "#!/usr/bin/env bash\n" + String(repeating: "a", count: lineCharactersMax + 1)),
    ]

    func findings(in file: SourceFile) -> [Finding] {
        guard file.isSwift || file.isShell || file.isPython else { return [] }
        return fileLength(of: file) + longLines(in: file) + (file.isSwift ? longFunctions(in: file) : [])
    }

    private func fileLength(of file: SourceFile) -> [Finding] {
        let count = file.lines.last == "" ? file.lines.count - 1 : file.lines.count
        if count < Self.fileLinesMin, file.isSwift, file.isShipped, Self.short[file.path] == nil {
            return [finding(file, line: 1, "merge this file with its subject: \(count) lines, at least \(Self.fileLinesMin)")]
        }
        let most = file.isSwift ? Self.fileLinesMax : Self.scriptLinesMax
        guard count > most else { return [] }
        return [finding(file, line: count, "split this file: \(count) lines, at most \(most)")]
    }

    private func longLines(in file: SourceFile) -> [Finding] {
        file.lines.enumerated().compactMap { index, line in
            guard line.utf8.count > Self.lineCharactersMax, line.count > Self.lineCharactersMax else { return nil }
            return finding(file, line: index + 1, "break this line: \(line.count) characters, at most \(Self.lineCharactersMax)")
        }
    }

    private func longFunctions(in file: SourceFile) -> [Finding] {
        file.code.indices.compactMap { index in
            guard let declaration = Declarations.declaration(in: file.code[index]), declaration.isFunction,
                let end = Declarations.endOfBody(from: index, in: file.code), end - index + 1 > Self.functionLinesMax
            else { return nil }
            let length = end - index + 1
            return finding(file, line: index + 1, "split `\(declaration.name)`: \(length) lines, at most \(Self.functionLinesMax)")
        }
    }

    private static func function(lines: Int) -> String {
        "func a(\n    b: Int\n) {\n" + filler(lines: lines - 4) + "}\n"
    }

    private static func filler(lines: Int) -> String { String(repeating: "a()\n", count: lines) }
}
