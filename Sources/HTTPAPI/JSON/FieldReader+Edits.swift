import Loyalty

/// Fields of an edit (RFC 7396): what is absent stays as it is, and `null` takes away what a thing may do without.
extension FieldReader {
    /// A text that may change but not go.
    mutating func editedString(_ name: String) -> String? {
        edited(name, "a string", Self.string)
    }

    mutating func editedInt(_ name: String) -> Int? {
        edited(name, "an integer in range", Self.int)
    }

    mutating func editedStrings(_ name: String) -> [String]? {
        edited(name, "an array of strings", Self.strings)
    }

    /// An object that changes as a whole.
    mutating func editedObject<Value: JSONReadable>(_ name: String, _ type: Value.Type = Value.self) -> Value? {
        object.field(name) == nil ? nil : object(name)
    }

    /// A text that may go.
    mutating func changedString(_ name: String) -> Change<String> {
        changed(name, "a string or null", Self.string)
    }

    mutating func changedInt(_ name: String) -> Change<Int> {
        changed(name, "an integer in range or null", Self.int)
    }

    private mutating func edited<Value>(_ name: String, _ noun: String, _ read: (JSONTree) -> Value?) -> Value? {
        guard let content = object.field(name) else { return nil }
        let value = read(content)
        if value == nil { complain(name, "must be \(noun)") }
        return value
    }

    private mutating func changed<Value>(_ name: String, _ noun: String, _ read: (JSONTree) -> Value?) -> Change<Value> {
        guard let content = object.field(name) else { return .unchanged }
        if case .null = content { return .removed }
        guard let value = read(content) else {
            complain(name, "must be \(noun)")
            return .unchanged
        }
        return .set(value)
    }
}
