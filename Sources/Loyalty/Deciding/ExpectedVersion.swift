/// What an editor saw before the edit: the decision compares it with what is there now, so that no edit is overwritten unseen.
///
/// A thing's version is the position of the last event that changed what its editors see.
public struct ExpectedVersion: Hashable, Sendable {
    /// Whatever is there.
    public static let any = ExpectedVersion(versions: nil)

    private let versions: [UInt64]?

    private init(versions: [UInt64]?) { self.versions = versions }

    /// One of these; none of none.
    public init(oneOf versions: [UInt64]) { self.versions = versions }

    /// - Throws: `.versionConflict` where the thing has changed since.
    func check(_ version: UInt64) throws(Rejection) {
        guard let versions else { return }
        guard versions.contains(version) else { throw .versionConflict }
    }
}
