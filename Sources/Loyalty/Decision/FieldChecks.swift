/// Collects all faults of a command, so that a form can show them at once.
struct FieldChecks {
    private var invalid: [InvalidField] = []

    mutating func require(_ condition: Bool, _ field: String, _ fault: @autoclosure () -> FieldFault) {
        if !condition { invalid.append(InvalidField(field: field, fault: fault())) }
    }

    mutating func require(_ value: Int, in range: ClosedRange<Int>, _ field: String) {
        require(range.contains(value), field, .outside(range))
    }

    mutating func require(_ text: String, within limit: TextLimit, _ field: String) {
        if let fault = limit.fault(in: text) { invalid.append(InvalidField(field: field, fault: fault)) }
    }

    /// - Throws: `.invalid` with every fault that `body` finds.
    static func check(_ body: (inout FieldChecks) -> Void) throws(Rejection) {
        var checks = FieldChecks()
        body(&checks)
        try checks.verdict()
    }

    /// - Throws: `.invalid` with every fault so far.
    func verdict() throws(Rejection) { guard invalid.isEmpty else { throw .invalid(invalid) } }
}

/// A field of a command that is invalid.
public struct InvalidField: Hashable, Sendable {
    /// The name in the API, or a path such as `milestones/0/at`; empty if no single field is wrong.
    public let field: String
    public let fault: FieldFault

    public init(field: String, fault: FieldFault) { (self.field, self.fault) = (field, fault) }
}

/// The change of a value that may be absent.
public enum Change<Value: Hashable & Sendable>: Hashable, Sendable {
    case unchanged
    case removed
    case set(Value)

    public func applied(to value: Value?) -> Value? {
        switch self {
        case .unchanged: value
        case .removed: nil
        case .set(let new): new
        }
    }
}

/// The version that an editor read, so that no edit is overwritten unnoticed: the position of the last event that changed what editors see.
public struct ExpectedVersion: Hashable, Sendable {
    public static let any = ExpectedVersion(.any)
    /// Refused with status 428, only after the checks that lead to 404 and 403 (RFC 9110).
    public static let unsaid = ExpectedVersion(.unsaid)

    private enum Expectation: Hashable {
        case any
        case unsaid
        case oneOf([UInt64])
    }

    private let expectation: Expectation

    private init(_ expectation: Expectation) { self.expectation = expectation }

    /// An empty list accepts none.
    public init(oneOf versions: [UInt64]) { self.init(.oneOf(versions)) }

    /// - Throws: `.versionConflict`, or `.versionRequired` if no version was named.
    func check(_ version: UInt64) throws(Rejection) {
        switch expectation {
        case .any: return
        case .unsaid: throw .versionRequired
        case .oneOf(let versions): guard versions.contains(version) else { throw .versionConflict }
        }
    }
}
