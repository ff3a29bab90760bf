/// A message of `events.proto`: the payload of the event type with the same name.
struct ProtoMessage: Hashable, Sendable {
    let name: String
    let fields: [ProtoField]
    /// Names of enumerations' values, by keys such as `Kind.1`.
    let values: [String: String]

    /// Reads the subset of Protocol Buffers that `events.proto` uses: messages, fields, enumerations and comments. Options are skipped.
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
        private var isInOption = false

        /// A field's line without its options in brackets.
        private static func withoutOptions(_ line: Substring) -> Substring {
            guard !line.hasPrefix("//"), line.hasSuffix("];"), let bracket = line.firstIndex(of: "[") else { return line }
            return line[..<bracket] + ";"
        }

        /// Returns the message whose last line this is.
        mutating func read(_ line: Substring) -> ProtoMessage? {
            if line.hasPrefix("option ") { isInOption = true }
            if isInOption {
                if line.hasSuffix(";") { isInOption = false }
                return nil
            }
            let line = Self.withoutOptions(line)
            let words = line.split { " ;=".contains($0) }.map(String.init)
            if line.hasPrefix("//") {
                comment.append(line.dropFirst(2).drop { $0 == " " })
                return nil
            }
            defer { comment = [] }
            if words.first == "message", words.count > 1 { name = words[1] }
            if words.first == "enum", words.count > 1 { enumeration = words[1] }
            if line.hasPrefix("}") { return close() }
            // A line such as `reserved 3, 5;` also ends with a number, and describes no field.
            guard line.hasSuffix(";"), name != nil, words.first != "reserved", let last = words.last, let number = Int(last) else {
                return nil
            }
            if let enumeration {
                values["\(enumeration).\(number)"] = words[0]
            } else if words.count > 2 {
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
            if fields.isEmpty { return nil }
            return ProtoMessage(name: name, fields: fields, values: values)
        }
    }
}

struct ProtoField: Hashable, Sendable {
    let number: Int
    let name: String
    /// A scalar type such as `uint32`, or the name of an enumeration.
    let type: String
    /// `optional`, `repeated`, or empty.
    let label: String
    /// The comment above the field, as one line.
    let comment: String

    /// Encrypted under the key of an account or a shop.
    var isSealed: Bool { name.hasPrefix("sealed_") }

    /// 0 varint, 1 eight bytes, 2 bytes with a length, 5 four bytes.
    var wireType: Int {
        switch type {
        case "string", "bytes": 2
        // Repeated numbers are packed: stored as bytes with one length.
        case _ where label == "repeated": 2
        case "double", "fixed64", "sfixed64": 1
        case "float", "fixed32", "sfixed32": 5
        default: 0
        }
    }

    var wireText: String { [0: "varint", 1: "64 bits", 2: "bytes", 5: "32 bits"][wireType] ?? "?" }
}

enum PayloadShape {
    /// Maps each field number to its wire type; nil if the bytes are no Protocol Buffers.
    static func fields(of payload: [UInt8]) -> [Int: Int]? {
        var (fields, rest) = ([Int: Int](), payload[...])
        while !rest.isEmpty {
            guard let key = varint(&rest), let number = Int(exactly: key >> 3), number > 0 else { return nil }
            let type = Int(key & 7)
            guard let count = length(type, &rest), count <= rest.count else { return nil }
            rest = rest.dropFirst(count)
            fields[number] = type
        }
        return fields
    }

    private static func length(_ type: Int, _ rest: inout ArraySlice<UInt8>) -> Int? {
        switch type {
        case 0: varint(&rest).map { _ in 0 }
        case 1: 8
        case 2: varint(&rest).flatMap { Int(exactly: $0) }
        case 5: 4
        default: nil
        }
    }

    private static func varint(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }
}
