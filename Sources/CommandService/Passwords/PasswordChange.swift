public import Loyalty

/// How somebody shows that a password is theirs to set.
public enum PasswordProof: Sendable {
    /// The password that they have.
    case current(String)
    /// A code that was sent to the account's own number, and where the request came from. A forgotten password is replaced with it, and
    /// the first one needs it: whoever has a signed-in phone in hand for a minute shall not keep the account.
    case code(String, from: SignInNetwork)
}

/// A password that is to be set.
///
/// One value, also because asynchronous functions whose arguments need the stack return to nowhere in debug builds of Swift 6.3.1 on
/// x86-64.
public struct PasswordChange: Sendable {
    public let new: String
    public let proof: PasswordProof
    /// The session that goes on; all others end.
    public let keeping: SessionID

    public init(to new: String, _ proof: PasswordProof, keeping: SessionID) {
        self.new = new
        self.proof = proof
        self.keeping = keeping
    }
}
