/// Holds every rule to its own samples.
struct SelfTest {
    let rules: [any Rule]

    /// What does not hold, one sentence each; empty when all is well.
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
