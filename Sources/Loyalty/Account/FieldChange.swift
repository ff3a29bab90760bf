/// What an edit does to one field that may be empty.
public enum FieldChange<Value: Hashable & Sendable>: Hashable, Sendable {
    case unchanged
    case cleared
    case set(Value)

    /// The field after the edit.
    public func applied(to value: Value?) -> Value? {
        switch self {
        case .unchanged: value
        case .cleared: nil
        case .set(let new): new
        }
    }

    /// The same edit of another form of the value.
    public func map<Other, Failure: Error>(_ transform: (Value) throws(Failure) -> Other) throws(Failure) -> FieldChange<Other> {
        switch self {
        case .unchanged: .unchanged
        case .cleared: .cleared
        case .set(let value): .set(try transform(value))
        }
    }

    /// The edit without what is so already.
    func beyond(_ value: Value?) -> Self {
        applied(to: value) == value ? .unchanged : self
    }
}
