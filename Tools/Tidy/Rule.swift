/// One rule of this repository: a pure function from files to findings.
///
/// `--self-test` checks every rule with samples, so that a rule that no longer finds anything is noticed.
protocol Rule: Sendable {
    var name: String { get }
    /// Samples without a finding that a wrong implementation might report.
    var good: [SourceFile] { get }
    /// Samples that must each give a finding.
    var bad: [SourceFile] { get }

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

    /// A finding for each line of code to which `advice` has something to say.
    func findings(in file: SourceFile, _ advice: (String) -> String?) -> [Finding] {
        file.code.enumerated().compactMap { index, line in advice(line).map { finding(file, line: index + 1, $0) } }
    }

    /// A finding for each line of code that contains one of `words`.
    func findings(of words: [String], in file: SourceFile, advice: (String) -> String) -> [Finding] {
        findings(in: file) { line in words.first { line.contains($0) }.map(advice) }
    }
}

struct Finding: Hashable, Comparable, CustomStringConvertible {
    let path: String
    /// From 1; 0 for the file as a whole.
    let line: Int
    let rule: String
    /// In the imperative.
    let advice: String

    var description: String { "\(path):\(line): \(rule): \(advice)" }

    static func < (left: Finding, right: Finding) -> Bool {
        (left.path, left.line, left.rule) < (right.path, right.line, right.rule)
    }
}

struct SelfTest {
    let rules: [any Rule]

    /// One sentence for each sample that fails.
    func failures() -> [String] {
        rules.flatMap { rule in missed(by: rule) + wronged(by: rule) } + CodeMaskSamples.failures()
    }

    private func missed(by rule: any Rule) -> [String] {
        guard !rule.bad.isEmpty else { return ["\(rule.name): has no bad sample"] }
        return rule.bad.enumerated().compactMap { number, sample in
            rule.findings(in: sample).isEmpty ? "\(rule.name): lets bad sample \(number + 1) pass (\(sample.path))" : nil
        }
    }

    private func wronged(by rule: any Rule) -> [String] {
        guard !rule.good.isEmpty else { return ["\(rule.name): has no good sample"] }
        return rule.good.enumerated().compactMap { number, sample in
            rule.findings(in: sample).first.map { "\(rule.name): finds fault with good sample \(number + 1): \($0)" }
        }
    }
}
