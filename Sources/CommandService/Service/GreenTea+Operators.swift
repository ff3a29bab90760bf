public import Loyalty
import LoyaltyCodec

extension GreenTea {
    /// Whether the account's phone is among the configured operators'.
    ///
    /// Operators come from the configuration and not from events: whoever can start the service decides who they are, and a log that
    /// is read elsewhere makes nobody powerful. So routes ask this before they make a command; decisions need not know.
    public func isOperator(_ account: Account) -> Bool { operators.contains(account.phone) }

    /// The hashes under which these phones' accounts are found, now and after some of them were erased.
    static func secrets(of phones: Set<E164Number>, _ keys: Keys) -> Set<Secret> {
        Set(phones.flatMap { phone in (0..<Limits.operatorGenerationsMax).map { keys.secret(ofPhone: phone.text, generation: $0) } })
    }
}
