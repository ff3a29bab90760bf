/// A message of `events.proto`: the payload of the event type of its name.
struct ProtoMessage: Hashable, Sendable {
    let name: String
    let fields: [ProtoField]
    /// `Kind.1` and the name of the value, of the enumerations within.
    let values: [String: String]

    /// Reads the part of the language that `events.proto` is written in: messages with fields and enumerations, comments above.
    static func all(in text: String) -> [ProtoMessage] {
        var (messages, reader) = ([ProtoMessage](), Reader())
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if let message = reader.read(line.trimmingPrefix { $0 == " " }) { messages.append(message) }
        }
        return messages
    }

    private struct Reader {
        private var name: String?
        private var enumeration: String?
        private var comment: [Substring] = []
        private var fields: [ProtoField] = []
        private var values: [String: String] = [:]

        /// - Returns: the message that ends with this line.
        mutating func read(_ line: Substring) -> ProtoMessage? {
            let words = line.split { " ;=".contains($0) }.map(String.init)
            if line.hasPrefix("//") {
                comment.append(line.dropFirst(2).drop { $0 == " " })
                return nil
            }
            defer { comment = [] }
            if words.first == "message" { name = words[1] }
            if words.first == "enum" { enumeration = words[1] }
            if line.hasPrefix("}") { return close() }
            guard line.hasSuffix(";"), name != nil, let last = words.last, let number = Int(last) else { return nil }
            if let enumeration {
                values["\(enumeration).\(number)"] = words[0]
            } else {
                let label = words.count == 4 ? words[0] : ""
                let (type, field) = (words[words.count - 3], words[words.count - 2])
                let said = comment.joined(separator: " ")
                fields.append(ProtoField(number: number, name: field, type: type, label: label, comment: said))
            }
            return nil
        }

        private mutating func close() -> ProtoMessage? {
            if enumeration != nil {
                enumeration = nil
                return nil
            }
            guard let name else { return nil }
            defer { self = Reader() }
            return ProtoMessage(name: name, fields: fields, values: values)
        }
    }
}
