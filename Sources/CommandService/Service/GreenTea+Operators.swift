public import Loyalty

extension GreenTea {
    /// Whether the account's phone is among the configured operators'.
    ///
    /// Operators come from the configuration and not from events: whoever can start the service decides who they are, and a log that
    /// is read elsewhere makes nobody powerful. So routes ask this before they make a command; decisions need not know.
    public func isOperator(_ account: Account) -> Bool { operators.contains(account.phone) }
}
