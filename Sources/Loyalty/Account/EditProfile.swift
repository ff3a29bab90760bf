/// Change what the actor says of themselves.
public struct EditProfile: Hashable, Sendable {
    public let change: ProfileChange
    /// What the editor had seen.
    public let expected: ExpectedVersion

    public init(change: ProfileChange, expected: ExpectedVersion = .any) {
        self.change = change
        self.expected = expected
    }
}
