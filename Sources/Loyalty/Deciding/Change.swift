/// What an edit does to something that a thing may do without. What it cannot do without is a plain optional, `nil` for unchanged.
public enum Change<Value: Hashable & Sendable>: Hashable, Sendable {
    case unchanged
    case removed
    case set(Value)

    /// What there is after the edit.
    func applied(to value: Value?) -> Value? {
        switch self {
        case .unchanged: value
        case .removed: nil
        case .set(let new): new
        }
    }
}
