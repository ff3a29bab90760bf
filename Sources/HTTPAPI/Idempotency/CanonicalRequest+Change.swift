import Loyalty

extension CanonicalRequest {
    /// What an edit does to a field that may be without a value; each of the three is another request.
    mutating func add<Value>(_ change: Change<Value>, _ addValue: (inout CanonicalRequest, Value) -> Void) {
        switch change {
        case .unchanged: add(0 as UInt64)
        case .removed: add(1 as UInt64)
        case .set(let value):
            add(2 as UInt64)
            addValue(&self, value)
        }
    }
}
