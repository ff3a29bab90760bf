/// One rule of the house: a pure function from files to findings.
///
/// Every rule has samples that must give a finding and samples that must not. `--self-test` tries both, so that a rule that no longer
/// finds anything is noticed.
protocol Rule: Sendable {
    /// The rule's name in a finding.
    var name: String { get }
    /// Files that must pass, each the smallest that could be mistaken for a bad one.
    var good: [SourceFile] { get }
    /// Files that must each give a finding.
    var bad: [SourceFile] { get }

    /// The findings in one file; empty for a file that the rule does not concern.
    func findings(in file: SourceFile) -> [Finding]
    /// The findings in all files of the repository. The default looks at each by itself.
    func findings(in files: [SourceFile]) -> [Finding]
}

extension Rule {
    func findings(in files: [SourceFile]) -> [Finding] { files.flatMap { findings(in: $0) } }

    /// A finding of this rule.
    func finding(_ file: SourceFile, line: Int, _ advice: String) -> Finding {
        Finding(path: file.path, line: line, rule: name, advice: advice)
    }

    /// A finding for each line of code that has one of `words`.
    func findings(of words: [String], in file: SourceFile, advice: (String) -> String) -> [Finding] {
        file.code.enumerated().compactMap { index, line in
            guard let word = words.first(where: { line.contains($0) }) else { return nil }
            return finding(file, line: index + 1, advice(word))
        }
    }
}

/// One thing to put right, as it is printed.
struct Finding: Hashable, Comparable, CustomStringConvertible {
    let path: String
    /// From 1; 0 where the file as a whole is meant.
    let line: Int
    let rule: String
    /// The advice, in the imperative.
    let advice: String

    var description: String { "\(path):\(line): \(rule): \(advice)" }

    static func < (left: Finding, right: Finding) -> Bool {
        (left.path, left.line, left.rule) < (right.path, right.line, right.rule)
    }
}

/// Holds every rule to its own samples.
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
