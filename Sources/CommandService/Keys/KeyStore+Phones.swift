import LMDB
public import Loyalty
public import LoyaltyCodec
import Synchronization

/// The table of phone numbers and their accounts. It is kept here and not in the log, because an event cannot be erased and a row can.
///
/// A number's first registration claims it for an account and makes the account's data key, in one transaction. A second registration of
/// the number gets the same account, whether it comes concurrently or after a crash that came before the first one's event. Destroying
/// the data key removes the claim in the same transaction.
extension KeyStore {
    /// A number, and the account that claims it unless another one has.
    public struct PhoneClaim: Sendable {
        let number: String
        let account: AccountID

        /// The number is taken as it is; the caller brings it to one form (E.164) first.
        public init(number: String, account: AccountID) {
            (self.number, self.account) = (number, account)
        }
    }

    /// Rows of ``KeyFile/names``: the name is a kind and 16 bytes, the value a random salt and 16 bytes masked with it.
    private enum Row: UInt8 {
        /// The row from a number's name to its account.
        case account = 1
        /// The row from an account to its number's name, so that a destruction needs no number.
        case phone = 2

        func name(_ number: UInt128) -> [UInt8] { [rawValue] + KeyStore.bigEndianBytes(number) }
    }

    /// The account that has claimed a number; it need not be registered yet.
    public func account(ofPhone number: String) throws -> AccountID? {
        try state.withLock { state in
            try read(.account, keys.phoneName(of: number), in: try opened(&state)).map { AccountID($0) }
        }
    }

    /// Whether the account is the one that has claimed some of these numbers' names.
    func holds(_ account: AccountID, anyOf names: Set<UInt128>) throws -> Bool {
        try state.withLock { state in
            guard let name = try read(.phone, account.value, in: try opened(&state)) else { return false }
            return names.contains(name)
        }
    }

    /// Claims each number for the account named with it, or leaves it to the one that has it; durable when this returns.
    ///
    /// - Returns: whose the numbers are, and the data keys of those, all made in one flush.
    @available(*, noasync)
    @discardableResult
    public func claim(_ claims: [PhoneClaim]) throws -> [(account: AccountID, key: DataKey)] {
        guard !claims.isEmpty else { return [] }
        return try state.withLock { state in
            let file = try opened(&state)
            var rows: [(table: Table, name: [UInt8], value: [UInt8])] = []
            let holders = try claims.map { claim -> (account: AccountID, key: DataKey) in
                let name = keys.phoneName(of: claim.number)
                if let holder = try read(.account, name, in: file).map({ AccountID($0) }),
                    let wrapped = try file.value(file.dataKeys, Self.name(of: holder))
                {
                    return (holder, try keys.unwrap(wrapped, for: holder))
                }
                let new = try newKey(for: claim.account)
                rows.append((file.dataKeys, Self.name(of: new.account), new.wrapped))
                rows.append((file.names, Row.account.name(name), value(new.account.value, row: name)))
                rows.append((file.names, Row.phone.name(new.account.value), value(name, row: new.account.value)))
                return (new.account, new.key)
            }
            if !rows.isEmpty { try file.put(rows) }
            return holders
        }
    }

    /// The names of the rows that lead to an account and from it; none for a shop, or an account of a release without them.
    func rows(of account: AccountID, in file: KeyFile) throws -> [[UInt8]] {
        guard let name = try read(.phone, account.value, in: file) else { return [] }
        let mine = Row.phone.name(account.value)
        return try read(.account, name, in: file) == account.value ? [Row.account.name(name), mine] : [mine]
    }

    private func read(_ row: Row, _ name: UInt128, in file: KeyFile) throws -> UInt128? {
        guard let stored = try file.value(file.names, row.name(name)), stored.count == 32 else { return nil }
        func number(_ bytes: ArraySlice<UInt8>) -> UInt128 { bytes.reduce(0) { $0 << 8 | UInt128($1) } }
        return keys.masked(number(stored[16...]), salt: number(stored[..<16]), row: name)
    }

    private func value(_ value: UInt128, row: UInt128) -> [UInt8] {
        let salt = UInt128(randomness.next()) << 64 | UInt128(randomness.next())
        return Self.bigEndianBytes(salt) + Self.bigEndianBytes(keys.masked(value, salt: salt, row: row))
    }
}
