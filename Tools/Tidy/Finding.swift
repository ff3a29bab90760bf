/// One thing to put right, as it is printed.
struct Finding: Hashable, Comparable, CustomStringConvertible {
    let path: String
    /// From 1; 0 where the file as a whole is meant.
    let line: Int
    let rule: String
    /// What to do about it, in the imperative.
    let advice: String

    var description: String { "\(path):\(line): \(rule): \(advice)" }

    static func < (left: Finding, right: Finding) -> Bool {
        (left.path, left.line, left.rule) < (right.path, right.line, right.rule)
    }
}
