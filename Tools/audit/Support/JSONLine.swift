import Foundation

/// One JSON object on one line, its members in the order of their names.
enum JSONLine {
    static func text(_ members: [String: Any]) -> String {
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? JSONSerialization.data(withJSONObject: members, options: options) else { return "{}" }
        return String(decoding: data, as: UTF8.self)
    }
}
