/// One house rule: a pure function from a file to what is wrong with it.
///
/// Every rule brings a sample that it must find fault with and one that it must let pass; `--self-test` holds it to both, so
/// that a rule that has stopped biting is noticed.
protocol Rule: Sendable {
    /// As it stands in a finding.
    var name: String { get }
    /// Files that must pass, each the smallest that could be mistaken for a bad one.
    var good: [SourceFile] { get }
    /// Files that must each give a finding.
    var bad: [SourceFile] { get }

    /// What is wrong with a file; nothing for a file that the rule does not concern.
    func findings(in file: SourceFile) -> [Finding]
}

extension Rule {
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
