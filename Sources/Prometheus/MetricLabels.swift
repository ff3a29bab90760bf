/// The labels of one series, in the order of their names.
struct MetricLabels: Hashable, Comparable, Sendable {
    /// As they stand between the braces, without them: `route="/v1/cards/{id}",status="200"`.
    let text: String

    init(_ dimensions: [(String, String)]) {
        text = dimensions.map { (MetricText.labelName($0.0), $0.1) }.sorted { $0.0 < $1.0 }
            .map { "\($0.0)=\"\(MetricText.escaped($0.1))\"" }.joined(separator: ",")
    }

    static func < (left: MetricLabels, right: MetricLabels) -> Bool { left.text < right.text }

    /// A sample's name with its labels, and with one more where given.
    func sample(_ name: String, adding more: String? = nil) -> String {
        let all = [text, more ?? ""].filter { !$0.isEmpty }.joined(separator: ",")
        return all.isEmpty ? name : "\(name){\(all)}"
    }
}
