/// What an editor saw before the edit: the decision compares it with what is there now, so that no edit is overwritten unseen.
///
/// A thing's version is the position of the last event that changed what its editors see.
public struct ExpectedVersion: Hashable, Sendable {
    /// Whatever is there.
    public static let any = ExpectedVersion(.any)
    /// The editor does not say. Decisions refuse that, after what is not there or not the editor's to edit.
    public static let unsaid = ExpectedVersion(.unsaid)

    private enum Expectation: Hashable {
        case any
        case unsaid
        case oneOf([UInt64])
    }

    private let expectation: Expectation

    private init(_ expectation: Expectation) { self.expectation = expectation }

    /// One of these; none of none.
    public init(oneOf versions: [UInt64]) { self.init(.oneOf(versions)) }

    /// - Throws: `.versionConflict` where the thing has changed since; `.versionRequired`.
    func check(_ version: UInt64) throws(Rejection) {
        switch expectation {
        case .any: return
        case .unsaid: throw .versionRequired
        case .oneOf(let versions): guard versions.contains(version) else { throw .versionConflict }
        }
    }
}
