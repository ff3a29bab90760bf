public import Loyalty

/// A password that is to be set.
///
/// One value, also because asynchronous functions whose arguments need the stack return to nowhere in debug builds of Swift 6.3.1 on
/// x86-64.
public struct PasswordChange: Sendable {
    public let new: String
    /// The one that they have; not looked at where they have none.
    public let current: String?
    /// The session that goes on; all others end.
    public let keeping: SessionID

    public init(to new: String, from current: String?, keeping: SessionID) {
        self.new = new
        self.current = current
        self.keeping = keeping
    }
}
