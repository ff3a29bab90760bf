/// Shipped files contain no markers for unfinished work, and their Swift code contains no deliberate crashes: `fatalError`, `try!` or
/// `as!`.
struct Shortcuts: Rule {
    let name = "shortcuts"

    private static let calls = ["fatalError(", "try!", "as!"]
    /// Each word is split into two literals, because otherwise this file would cause a finding.
    private static let promises = ["TO" + "DO", "FIX" + "ME", "X" + "XX"]

    let good: KeyValuePairs = [
        "Sources/A/A.swift": "/// Never fatalError( here.\nlet a = try? b()\nlet todo = 1\n",
        "Tests/ATests/A.swift": "let a = try! b()\n",
    ]
    let bad: KeyValuePairs = [
        "Sources/A/A.swift": "fatalError(\"no\")\n",
        "Tools/A/A.swift": "let a = try! b()\n",
        "Sources/A/A.swift": "// " + "TO" + "DO: later\n",
        "Tools/run": "#!/usr/bin/env bash\n# FIX" + "ME\n",
    ]

    func findings(in file: SourceFile) -> [Finding] {
        guard file.isShipped, !file.isGenerated else { return [] }
        let crashes = file.isSwift ? findings(of: Self.calls, in: file) { "throw a named error in place of `\($0)`" } : []
        return crashes
            + findings(in: file.lines, of: file) { line in
                Self.promises.first { line.contains($0) }.map { "do it now or open an issue; take out \($0)" }
            }
    }
}
