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

    /// Rejects the command if a check has found a fault.
    ///
    /// - Throws: `.invalid` with every fault so far, in the order of the checks.
    func verdict() throws(Rejection) {
        guard invalid.isEmpty else { throw .invalid(invalid) }
    }
}

/// A field of a command that is invalid.
public struct InvalidField: Hashable, Sendable {
    /// The field's name in the command, which is also its name in the API (`goal`, `startsAt`, `location`). For an item of a list it is a
    /// path such as `milestones/0/at`; it is empty if no single field is wrong.
    public let field: String
    public let fault: FieldFault

    public init(field: String, fault: FieldFault) {
        self.field = field
        self.fault = fault
    }
}

/// The change of a value that may be absent. The change of a required value is a plain optional, in which `nil` means no change.
public enum Change<Value: Hashable & Sendable>: Hashable, Sendable {
    case unchanged
    case removed
    case set(Value)

    /// The value after the change.
    func applied(to value: Value?) -> Value? {
        switch self {
        case .unchanged: value
        case .removed: nil
        case .set(let new): new
        }
    }
}

/// The version that an editor read. The decision compares it with the present version, so that no edit is overwritten unnoticed.
///
/// A thing's version is the position of the last event that changed what its editors see.
///
/// The decision refuses an edit without a version (status 428) only after the checks that lead to 404 and 403, as RFC 9110 requires. So
/// only an editor who is allowed to edit the thing gets 428. A profile has a single editor, so its version is optional.
public struct ExpectedVersion: Hashable, Sendable {
    /// Accepts any version.
    public static let any = ExpectedVersion(.any)
    /// The editor named no version. Decisions refuse this after they have checked that the thing exists and that the actor may edit it.
    public static let unsaid = ExpectedVersion(.unsaid)

    private enum Expectation: Hashable {
        case any
        case unsaid
        case oneOf([UInt64])
    }

    private let expectation: Expectation

    private init(_ expectation: Expectation) { self.expectation = expectation }

    /// Accepts any one of these versions. An empty list accepts none.
    public init(oneOf versions: [UInt64]) { self.init(.oneOf(versions)) }

    /// Compares the present version of a thing with this expectation.
    ///
    /// - Throws: `.versionConflict` if the thing has another version than those that were named; `.versionRequired` if no version was
    ///   named.
    func check(_ version: UInt64) throws(Rejection) {
        switch expectation {
        case .any: return
        case .unsaid: throw .versionRequired
        case .oneOf(let versions): guard versions.contains(version) else { throw .versionConflict }
        }
    }
}
