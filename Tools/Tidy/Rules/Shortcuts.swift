/// Shipped files contain no markers for unfinished work, and their Swift code contains no deliberate crashes: `fatalError`, `try!` or
/// `as!`.
struct Shortcuts: Rule {
    let name = "shortcuts"

    private static let calls = ["fatalError(", "try!", "as!"]
    /// Each word is split into two literals, because otherwise this file would cause a finding.
    private static let promises = ["TO" + "DO", "FIX" + "ME", "X" + "XX"]

    let good = [
        SourceFile(path: "Sources/A/A.swift", text: "/// Never fatalError( here.\nlet a = try? b()\nlet todo = 1\n"),
        SourceFile(path: "Tests/ATests/A.swift", text: "let a = try! b()\n"),
    ]
    let bad = [
        SourceFile(path: "Sources/A/A.swift", text: "fatalError(\"no\")\n"),
        SourceFile(path: "Tools/A/A.swift", text: "let a = try! b()\n"),
        SourceFile(path: "Sources/A/A.swift", text: "// " + "TO" + "DO: later\n"),
        SourceFile(path: "Tools/run", text: "#!/usr/bin/env bash\n# FIX" + "ME\n"),
    ]

    func findings(in file: SourceFile) -> [Finding] {
        guard file.isShipped, !file.isGenerated else { return [] }
        let crashes = file.isSwift ? findings(of: Self.calls, in: file) { "throw a named error in place of `\($0)`" } : []
        return crashes + promises(in: file)
    }

    private func promises(in file: SourceFile) -> [Finding] {
        file.lines.enumerated().compactMap { index, line in
            guard let word = Self.promises.first(where: { line.contains($0) }) else { return nil }
            return finding(file, line: index + 1, "do it now or open an issue; take out \(word)")
        }
    }
}

/// A file with tests contains an expectation, because tests without an expectation prove nothing.
struct TestExpectations: Rule {
    let name = "test-expectation"

    private static let expectations = ["#expect", "#require", "Issue.record", "confirmation(", "expect", ".then"]

    let good = [
        SourceFile(path: "Tests/ATests/A.swift", text: "@Test func a() {\n    #expect(true)\n}\n"),
        SourceFile(path: "Tests/ATests/Support.swift", text: "func help() {}\n"),
    ]
    let bad = [SourceFile(path: "Tests/ATests/A.swift", text: "@Test func a() {\n    // #expect(true)\n}\n")]

    func findings(in file: SourceFile) -> [Finding] {
        guard file.isSwift, file.path.hasPrefix("Tests/") else { return [] }
        guard let test = file.code.firstIndex(where: { $0.contains("@Test") }) else { return [] }
        let expects = file.code.contains { line in Self.expectations.contains { line.contains($0) } }
        return expects ? [] : [finding(file, line: test + 1, "expect something")]
    }
}
