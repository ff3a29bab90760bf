/// Limits for files, functions and lines. A very short source file is usually a part of another file's subject.
struct Lengths: Rule {
    let name = "length"

    private static let fileLinesMax = 400
    /// A script is often a single file.
    private static let scriptLinesMax = 500
    private static let fileLinesMin = 20
    /// Each with its reason.
    private static let short = [
        "Sources/Console/ProductVersion.swift": "the one line that a release changes",
        "Sources/TillImport/Limits.swift": "each target has its limits in one place",
    ]
    private static let functionLinesMax = 70
    private static let lineCharactersMax = 140

    let good: KeyValuePairs = [
        "Sources/A/A.swift": function(lines: functionLinesMax),
        "Sources/A/B.swift": filler(lines: fileLinesMin),
        "Tests/ATests/A.swift": filler(lines: 1),
        "Sources/A/C.swift": "protocol A {\n    func a()\n    func b()\n}\n" + filler(lines: functionLinesMax + 1),
        "Tests/ATests/B.swift": String(repeating: "é", count: lineCharactersMax),
        "Sources/A/A.pb.swift": filler(lines: fileLinesMax + 100),
    ]
    let bad: KeyValuePairs = [
        "Sources/A/A.swift": function(lines: functionLinesMax + 1),
        "Sources/A/B.swift": filler(lines: fileLinesMax + 1),
        "Sources/A/C.swift": filler(lines: fileLinesMin - 1),
        "Tools/run": "#!/usr/bin/env bash\n" + String(repeating: "a", count: lineCharactersMax + 1),
    ]

    func findings(in file: SourceFile) -> [Finding] {
        guard file.isSwift || file.isShell || file.isPython else { return [] }
        let longLines = findings(in: file.lines, of: file) { line in
            guard line.utf8.count > Self.lineCharactersMax, line.count > Self.lineCharactersMax else { return nil }
            return "break this line: \(line.count) characters, at most \(Self.lineCharactersMax)"
        }
        return fileLength(of: file) + longLines + (file.isSwift ? longFunctions(in: file) : [])
    }

    private func fileLength(of file: SourceFile) -> [Finding] {
        let count = file.lines.last == "" ? file.lines.count - 1 : file.lines.count
        if count < Self.fileLinesMin, file.isSwift, file.isShipped, Self.short[file.path] == nil {
            return [finding(file, line: 1, "merge this file with its subject: \(count) lines, at least \(Self.fileLinesMin)")]
        }
        let most = file.isSwift ? Self.fileLinesMax : Self.scriptLinesMax
        return count <= most ? [] : [finding(file, line: count, "split this file: \(count) lines, at most \(most)")]
    }

    /// The formatter puts a function's last brace under its first character, with nothing as far left between but the end of its head.
    private func longFunctions(in file: SourceFile) -> [Finding] {
        file.code.indices.compactMap { start in
            let (line, indent) = (file.code[start], file.code[start].indent)
            guard ["func ", "init(", "subscript("].contains(where: line.contains) else { return nil }
            let isOutward = { (line: String) in !line.isEmpty && line.indent <= indent && !line.dropFirst(indent).hasPrefix(")") }
            guard let end = file.code[start...].dropFirst().firstIndex(where: isOutward), end - start >= Self.functionLinesMax,
                file.code[end].dropFirst(indent) == "}"
            else { return nil }
            return finding(file, line: start + 1, "split this function: \(end - start + 1) lines, at most \(Self.functionLinesMax)")
        }
    }

    private static func function(lines: Int) -> String {
        "func a(\n    b: Int\n) {\n" + String(repeating: "    a()\n", count: lines - 4) + "}\n"
    }

    private static func filler(lines: Int) -> String { String(repeating: "a()\n", count: lines) }
}
