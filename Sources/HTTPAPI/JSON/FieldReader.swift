import Loyalty
import LoyaltyCodec

/// Reads fields of a JSON object and collects all faults. An invalid field is read as an arbitrary value; `verdict` throws before its use.
struct FieldReader {
    let object: JSONTree
    /// The beginning of the fields' JSON pointers, without the first slash: empty for the body, `place/` for a part.
    let path: String
    var errors: [FieldError] = []

    init(_ object: JSONTree, path: String = "") {
        self.object = object
        self.path = path
        if case .object = object { return }
        errors.append(FieldError(field: String(path.dropLast()), fault: .kind(.object)))
    }

    /// - Throws: `invalidRequest` with all faults.
    func verdict() throws(Problem) { guard errors.isEmpty else { throw Problem(.invalidRequest, errors: errors) } }

    mutating func string(_ name: String) -> String { required(name, .string, Self.string) ?? "" }
    mutating func optionalString(_ name: String) -> String? { optional(name, .string, Self.string) }
    mutating func double(_ name: String) -> Double { required(name, .number, Self.double) ?? 0 }
    mutating func int(_ name: String) -> Int { required(name, .integer, Self.int) ?? 0 }
    mutating func optionalDouble(_ name: String) -> Double? { optional(name, .number, Self.double) }
    mutating func flag(_ name: String) -> Bool { required(name, .flag, Self.flag) ?? false }
    mutating func optionalFlag(_ name: String) -> Bool? { optional(name, .flag, Self.flag) }
    mutating func optionalInt(_ name: String) -> Int? { optional(name, .integer, Self.int) }
    mutating func optionalStrings(_ name: String) -> [String]? { optional(name, .strings, Self.strings) }

    /// RFC 3339.
    mutating func optionalTime(_ name: String) -> Instant? {
        guard let text = optionalString(name) else { return nil }
        let time = Instant(rfc3339: text)
        if time == nil { complain(name, .form(.time)) }
        return time
    }

    /// Null clears the text.
    mutating func change(_ name: String) -> FieldChange<String> {
        guard let content = object.field(name) else { return .unchanged }
        if case .null = content { return .cleared }
        guard let text = Self.string(content) else {
            complain(name, .kind(.stringOrNull))
            return .unchanged
        }
        return .set(text)
    }

    mutating func require(_ condition: Bool, _ name: String, _ fault: @autoclosure () -> RequestFault) {
        if !condition { complain(name, fault()) }
    }

    mutating func object<Value>(_ name: String, _ read: (inout FieldReader) -> Value) -> Value {
        let content = object.field(name)
        if content == nil { complain(name, .required) }
        var fields = FieldReader(content ?? .object([]), path: path + name + "/")
        defer { if content != nil { errors += fields.errors } }
        return read(&fields)
    }

    // MARK: Kinds of values

    private mutating func required<Value>(_ name: String, _ kind: JSONKind, _ read: (JSONTree) -> Value?) -> Value? {
        // `init` has recorded that fault, so missing fields are not reported as well.
        guard case .object = object else { return nil }
        guard let content = object.field(name) else {
            complain(name, .required)
            return nil
        }
        let value = read(content)
        if value == nil { complain(name, .kind(kind)) }
        return value
    }

    private mutating func optional<Value>(_ name: String, _ kind: JSONKind, _ read: (JSONTree) -> Value?) -> Value? {
        guard let content = object.field(name) else { return nil }
        if case .null = content { return nil }
        let value = read(content)
        if value == nil { complain(name, .kind(kind)) }
        return value
    }

    mutating func complain(_ name: String, _ fault: RequestFault) { errors.append(FieldError(field: path + name, fault: fault)) }

    static func string(_ tree: JSONTree) -> String? {
        guard case .string(let text) = tree else { return nil }
        return text
    }

    private static func double(_ tree: JSONTree) -> Double? {
        guard case .number(let text) = tree, let number = Double(text), number.isFinite else { return nil }
        return number
    }

    private static func flag(_ tree: JSONTree) -> Bool? {
        guard case .bool(let flag) = tree else { return nil }
        return flag
    }

    /// `4.0` and `4e0` are integers too: JSON has one kind of number.
    static func int(_ tree: JSONTree) -> Int? {
        guard case .number(let text) = tree else { return nil }
        return Int(text) ?? Double(text).flatMap { Int(exactly: $0) }
    }

    static func strings(_ tree: JSONTree) -> [String]? {
        guard case .array(let elements) = tree else { return nil }
        let texts = elements.compactMap(string)
        return texts.count == elements.count ? texts : nil
    }
}

/// Edits (RFC 7396): an absent field stays, and null clears an optional one.
extension FieldReader {
    mutating func editedString(_ name: String) -> String? { edited(name, .string, Self.string) }
    mutating func editedInt(_ name: String) -> Int? { edited(name, .integer, Self.int) }
    mutating func editedStrings(_ name: String) -> [String]? { edited(name, .strings, Self.strings) }

    mutating func editedObject<Value>(_ name: String, _ read: (inout FieldReader) -> Value) -> Value? {
        object.field(name) == nil ? nil : object(name, read)
    }

    mutating func changedString(_ name: String) -> Change<String> { changed(name, .stringOrNull, Self.string) }
    mutating func changedInt(_ name: String) -> Change<Int> { changed(name, .integerOrNull, Self.int) }

    private mutating func edited<Value>(_ name: String, _ kind: JSONKind, _ read: (JSONTree) -> Value?) -> Value? {
        guard let content = object.field(name) else { return nil }
        let value = read(content)
        if value == nil { complain(name, .kind(kind)) }
        return value
    }

    private mutating func changed<Value>(_ name: String, _ kind: JSONKind, _ read: (JSONTree) -> Value?) -> Change<Value> {
        guard let content = object.field(name) else { return .unchanged }
        if case .null = content { return .removed }
        guard let value = read(content) else {
            complain(name, .kind(kind))
            return .unchanged
        }
        return .set(value)
    }
}

extension TextLimit {
    /// Checks a text that will be sealed: decisions see only sealed bytes.
    ///
    /// - Throws: `invalidRequest` for the field.
    func check(_ text: String, _ field: String) throws(Problem) {
        if let fault = fault(in: text) { throw Problem.invalid(field, .rule(fault)) }
    }
}
