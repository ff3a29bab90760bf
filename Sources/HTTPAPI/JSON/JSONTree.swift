/// A JSON value as it was sent.
enum JSONTree: Sendable {
    case null
    case bool(Bool)
    /// As it was written; what it means depends on what is asked for.
    case number(String)
    case string(String)
    case array([JSONTree])
    case object([(name: String, value: JSONTree)])

    /// The field of an object; of several with one name, the last.
    func field(_ name: String) -> JSONTree? {
        guard case .object(let fields) = self else { return nil }
        return fields.last { $0.name == name }?.value
    }
}
