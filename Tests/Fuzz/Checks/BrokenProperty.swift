/// A required property that a parser violated.
struct BrokenProperty: Error, CustomStringConvertible {
    let description: String

    /// Passes if two values are equal, and otherwise throws a description of both.
    static func unless<Value: Equatable>(_ found: Value, is expected: Value, _ what: String) throws(BrokenProperty) {
        if found == expected { return }
        throw BrokenProperty(description: "\(what): \(short(found)), not \(short(expected))")
    }

    private static func short(_ value: some Any) -> Substring { String(describing: value).prefix(400) }
}
