/// Sign out everywhere.
public struct EndSessions: Hashable, Sendable {
    public init() {}
}
