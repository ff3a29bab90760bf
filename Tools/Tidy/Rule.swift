/// One rule of this repository: a pure function from files to findings.
///
/// Every rule has samples that must give a finding and samples that must not. `--self-test` checks both, so that a rule that no longer
/// finds anything is noticed.
protocol Rule: Sendable {
    /// The rule's name in a finding.
    var name: String { get }
    /// Minimal sample files in which the rule must find nothing, although an incorrect implementation might find something.
    var good: [SourceFile] { get }
    /// Sample files; the rule must find something in each of them.
    var bad: [SourceFile] { get }

    /// The findings in one file; empty for a file to which the rule does not apply.
    func findings(in file: SourceFile) -> [Finding]
    /// The findings in all files of the repository. The default implementation checks each file separately.
    func findings(in files: [SourceFile]) -> [Finding]
}

extension Rule {
    func findings(in files: [SourceFile]) -> [Finding] { files.flatMap { findings(in: $0) } }

    /// Creates a finding of this rule.
    func finding(_ file: SourceFile, line: Int, _ advice: String) -> Finding {
        Finding(path: file.path, line: line, rule: name, advice: advice)
    }

    /// A finding for each line of code that contains one of `words`.
    func findings(of words: [String], in file: SourceFile, advice: (String) -> String) -> [Finding] {
        file.code.enumerated().compactMap { index, line in
            guard let word = words.first(where: { line.contains($0) }) else { return nil }
            return finding(file, line: index + 1, advice(word))
        }
    }
}

/// One violation of a rule, as it is printed: its place, the rule's name, and the advice.
struct Finding: Hashable, Comparable, CustomStringConvertible {
    let path: String
    /// The line, from 1; 0 for the file as a whole.
    let line: Int
    let rule: String
    /// The advice how to fix the violation, in the imperative.
    let advice: String

    var description: String { "\(path):\(line): \(rule): \(advice)" }

    static func < (left: Finding, right: Finding) -> Bool {
        (left.path, left.line, left.rule) < (right.path, right.line, right.rule)
    }
}

/// Checks every rule against its own samples.
struct SelfTest {
    let rules: [any Rule]

    /// The samples that fail, one sentence each; empty if there are none.
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
