/// One rule of this repository: a pure function from files to findings.
///
/// `--self-test` checks every rule with samples, so that a rule that no longer finds anything is noticed.
protocol Rule: Sendable {
    var name: String { get }
    /// Paths and texts without a finding that a wrong implementation might report.
    var good: KeyValuePairs<String, String> { get }
    /// Paths and texts that must each give a finding.
    var bad: KeyValuePairs<String, String> { get }

    /// Empty for a file to which the rule does not apply.
    func findings(in file: SourceFile) -> [Finding]
    /// By default, each file is checked separately.
    func findings(in files: [SourceFile]) -> [Finding]
}

extension Rule {
    func findings(in files: [SourceFile]) -> [Finding] { files.flatMap { findings(in: $0) } }

    func finding(_ file: SourceFile, line: Int, _ advice: String) -> Finding {
        Finding(path: file.path, line: line, rule: name, advice: advice)
    }

    func findings(in lines: [String], of file: SourceFile, _ advice: (String) -> String?) -> [Finding] {
        lines.enumerated().compactMap { index, line in advice(line).map { finding(file, line: index + 1, $0) } }
    }

    func findings(of words: [String], in file: SourceFile, advice: (String) -> String) -> [Finding] {
        findings(in: file.code, of: file) { line in words.first { line.contains($0) }.map(advice) }
    }

    func failures() -> [String] {
        let found = { (sample: (path: String, text: String)) in findings(in: SourceFile(path: sample.path, text: sample.text)) }
        let missed = bad.filter { found(($0.key, $0.value)).isEmpty }.map { "\(name): lets a bad sample pass: \($0.key): \($0.value)" }
        let wronged = good.compactMap { found(($0.key, $0.value)).first }.map { "\(name): finds fault with a good sample: \($0)" }
        return missed + wronged + (bad.isEmpty || good.isEmpty ? ["\(name): lacks a good or a bad sample"] : [])
    }
}

struct Finding: CustomStringConvertible {
    let path: String
    /// From 1.
    let line: Int
    let rule: String
    /// In the imperative.
    let advice: String

    var description: String { "\(path):\(line): \(rule): \(advice)" }
}
