/// Sign out here.
public struct EndSession: Hashable, Sendable {
    public let session: SessionID

    public init(session: SessionID) {
        self.session = session
    }
}
