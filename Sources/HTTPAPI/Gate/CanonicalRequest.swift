import Loyalty

/// A request's content independent of its spelling: the operation and each field's value. Lengths stand before texts, so that two texts
/// cannot be read as one.
struct CanonicalRequest {
    private(set) var bytes: [UInt8] = []

    /// - Parameter operation: the method and the route, such as `POST /v1/stamps`.
    init<each Value: CanonicalValue>(_ operation: String, _ values: repeat each Value) {
        bytes.reserveCapacity(64)
        add(operation)
        repeat (each values).add(to: &self)
    }

    mutating func add(_ text: String) {
        add(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    mutating func add(_ content: [UInt8]) {
        add(UInt64(content.count))
        bytes.append(contentsOf: content)
    }

    /// An absent and an empty value make different requests.
    mutating func add(_ text: String?) {
        add(text == nil ? 0 : 1 as UInt64)
        if let text { add(text) }
    }

    mutating func add(_ number: Int?) {
        add(number == nil ? 0 : 1 as UInt64)
        if let number { add(UInt64(bitPattern: Int64(number))) }
    }

    mutating func add(_ number: Double) { add(number.bitPattern) }

    mutating func add(_ number: UInt128) {
        add(UInt64(truncatingIfNeeded: number >> 64))
        add(UInt64(truncatingIfNeeded: number))
    }

    mutating func add(_ number: UInt64) {
        for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(shift))) }
    }
}

protocol CanonicalValue {
    func add(to request: inout CanonicalRequest)
}

extension ID: CanonicalValue {
    func add(to request: inout CanonicalRequest) { request.add(value) }
}

extension String: CanonicalValue {
    func add(to request: inout CanonicalRequest) { request.add(self) }
}

extension Int: CanonicalValue {
    func add(to request: inout CanonicalRequest) { request.add(self) }
}

extension UInt128: CanonicalValue {
    func add(to request: inout CanonicalRequest) { request.add(self) }
}

extension CanonicalRequest {
    /// Each of the three kinds of change makes a different request.
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
