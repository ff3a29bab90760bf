/// The family is over; none of its tokens works again.
public struct SessionEnded: Hashable, Sendable {
    public let session: SessionID
    public let account: AccountID
    public let ending: SessionEnding

    public init(session: SessionID, account: AccountID, ending: SessionEnding) {
        self.session = session
        self.account = account
        self.ending = ending
    }
}
