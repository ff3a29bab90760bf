/// Names, labels and numbers in the Prometheus text format, version 0.0.4.
enum MetricText {
    /// An underscore for each invalid character and before a leading digit.
    static func name(_ text: String) -> String { legal(text, allowsColon: true) }

    /// Like a metric's name, but without colons.
    static func labelName(_ text: String) -> String { legal(text, allowsColon: false) }

    /// For use between quotes.
    static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\n") }) else {
            return text
        }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Quotes need no escape.
    static func help(_ text: String) -> String {
        text.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\\\")
            .split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\\n")
    }

    /// Whole numbers without a point; others with the fewest digits that are read as the same value.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }

    private static func legal(_ text: String, allowsColon: Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            let isDigit = ("0"..."9").contains(scalar)
            if isDigit, result.isEmpty { result += "_" }
            let isLetter = ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || scalar == "_"
            result.unicodeScalars.append(isDigit || isLetter || (allowsColon && scalar == ":") ? scalar : "_")
        }
        return result.isEmpty ? "_" : result
    }
}

/// By name.
struct MetricLabels: Hashable, Comparable, Sendable {
    /// Without braces, such as `route="/v1/cards/{id}",status="200"`.
    let text: String

    init(_ dimensions: [(String, String)]) {
        text = dimensions.map { (MetricText.labelName($0.0), $0.1) }.sorted { $0.0 < $1.0 }
            .map { "\($0.0)=\"\(MetricText.escaped($0.1))\"" }.joined(separator: ",")
    }

    static func < (left: MetricLabels, right: MetricLabels) -> Bool { left.text < right.text }

    func sample(_ name: String, adding more: String? = nil) -> String {
        let all = [text, more ?? ""].filter { !$0.isEmpty }.joined(separator: ",")
        return all.isEmpty ? name : "\(name){\(all)}"
    }
}
