/// What a parser did that it must not.
struct BrokenProperty: Error, CustomStringConvertible {
    let description: String

    /// Passes if two things are the same; else says what they are.
    static func unless<Value: Equatable>(_ found: Value, is expected: Value, _ what: String) throws(BrokenProperty) {
        if found == expected { return }
        throw BrokenProperty(description: "\(what): \(short(found)), not \(short(expected))")
    }

    private static func short(_ value: some Any) -> Substring { String(describing: value).prefix(400) }
}
