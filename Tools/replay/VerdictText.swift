import Audit
import EventLog
import Foundation

/// A verdict as it is printed.
struct VerdictText {
    let model: String
    let verdict: ModelVerdict
    /// Why it differs, where that was looked for.
    var diagnosis: Diagnosis?

    func text(_ format: OutputFormat) -> String {
        switch (verdict, format) {
        case (.equal(let position, let rows), .text): "equal  \(model)  position \(position)  rows \(rows)"
        case (.equal(let position, let rows), .jsonl):
            json(["verdict": "equal", "model": model, "position": position.rawValue, "rows": rows])
        case (.different(let difference), .text): "different  \(difference)" + (diagnosis.map { "\n\($0)" } ?? "")
        case (.different(let difference), .jsonl): json(members(difference))
        }
    }

    private func members(_ difference: ModelDifference) -> [String: Any] {
        var members: [String: Any] = ["verdict": "different", "model": model, "kind": difference.kind.rawValue]
        members["position"] = difference.position?.rawValue
        members["table"] = difference.table
        members["key"] = difference.key
        members["stored"] = difference.stored
        members["expected"] = difference.expected
        members["detail"] = difference.detail
        members["diagnosis"] = diagnosis.map(members(_:))
        return members
    }

    private func members(_ diagnosis: Diagnosis) -> [String: Any] {
        var members: [String: Any] = ["cause": diagnosis.cause.rawValue, "remedy": diagnosis.remedy]
        members["position"] = diagnosis.position?.rawValue
        members["type"] = diagnosis.type
        members["event"] = diagnosis.event
        members["table"] = diagnosis.table
        members["key"] = diagnosis.key
        members["before"] = diagnosis.before
        members["stored"] = diagnosis.stored
        members["expected"] = diagnosis.expected
        members["detail"] = diagnosis.detail
        return members
    }

    private func json(_ members: [String: Any]) -> String {
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? JSONSerialization.data(withJSONObject: members, options: options) else { return "{}" }
        return String(decoding: data, as: UTF8.self)
    }
}
