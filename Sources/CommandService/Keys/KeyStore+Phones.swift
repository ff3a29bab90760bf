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
        package let number: String
        let account: AccountID

        /// The number is taken as it is; the caller brings it to one form (E.164) first.
        public init(number: String, account: AccountID) {
            (self.number, self.account) = (number, account)
        }
    }

    /// Rows of ``KeyFile/names``: the name is a kind and 16 bytes, the value a random salt and 16 bytes masked with it.
    fileprivate enum Row: UInt8 {
        /// The row from a number's name to its account.
        case account = 1
        /// The row from an account to its number's name, so that a destruction needs no number.
        case phone = 2
        /// The row from an account to the name of a number that it claimed for a change, until the log decides.
        case claimed = 3
        /// The row from an account to the name of the number that an operator asked for.
        case coming = 4

        func name(_ number: UInt128) -> [UInt8] { [rawValue] + KeyStore.bigEndianBytes(number) }
    }

    /// The account that has claimed a number; it need not be registered yet.
    public func account(ofPhone number: String) throws -> AccountID? {
        try state.withLock { state in
            try read(.account, keys.phoneName(of: number), in: try opened(&state)).map { AccountID($0) }
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
        try [Row.phone, .claimed, .coming].flatMap { row -> [[UInt8]] in
            guard let name = try read(row, account.value, in: file) else { return [] }
            let mine = row.name(account.value)
            return try read(.account, name, in: file) == account.value ? [Row.account.name(name), mine] : [mine]
        }
    }

    fileprivate func read(_ row: Row, _ name: UInt128, in file: KeyFile) throws -> UInt128? {
        guard let stored = try file.value(file.names, row.name(name)), stored.count == 32 else { return nil }
        func number(_ bytes: ArraySlice<UInt8>) -> UInt128 { bytes.reduce(0) { $0 << 8 | UInt128($1) } }
        return keys.masked(number(stored[16...]), salt: number(stored[..<16]), row: name)
    }

    fileprivate func value(_ value: UInt128, row: UInt128) -> [UInt8] {
        let salt = UInt128(randomness.next()) << 64 | UInt128(randomness.next())
        return Self.bigEndianBytes(salt) + Self.bigEndianBytes(keys.masked(value, salt: salt, row: row))
    }
}

/// How an account's claim moves from one number to another.
///
/// The log decides whose a number is: an account's number is the one sealed in its newest event about it. The claims follow in three
/// steps, and a crash after any of them leaves claims that ``settle(_:number:coming:)`` sets right by the log:
///
/// 1. The new number is claimed beside the old one. Whoever finds the claim compares the number with the log's, so it leads nowhere yet.
/// 2. The event is committed. The old number's claim leads nowhere from here on.
/// 3. The old claim is removed, and its bytes are scrubbed. The old number can be claimed anew.
extension KeyStore {
    /// Claims another number for an account that has a key; durable when this returns. A number that another account has stays its own.
    ///
    /// - Returns: the account that has the number.
    /// - Throws: `KeyStoreError.noKey`, or the storage's `LMDBError`.
    @available(*, noasync)
    package func claimNext(_ number: String, for account: AccountID) throws -> AccountID {
        try state.withLock { state in
            let file = try opened(&state)
            guard try file.value(file.dataKeys, Self.name(of: account)) != nil else { throw KeyStoreError.noKey }
            let name = keys.phoneName(of: number)
            if let holder = try read(.account, name, in: file).map({ AccountID($0) }), holder != account,
                try file.value(file.dataKeys, Self.name(of: holder)) != nil
            {
                return holder
            }
            let rows = [
                (file.names, Row.account.name(name), value(account.value, row: name)),
                (file.names, Row.claimed.name(account.value), value(name, row: account.value)),
            ]
            try file.put(rows)
            return account
        }
    }

    /// Brings an account's claims to what the log says: its number, and the one that an operator asked for, if any. All other claims of
    /// the account are removed and scrubbed. A number that another account has claimed stays the other's.
    @available(*, noasync)
    package func settle(_ account: AccountID, number: String, coming: String?) throws {
        try destroying.withLock { _ in
            let isUnscrubbed = try state.withLock { state -> Bool in
                let file = try opened(&state)
                guard try file.value(file.dataKeys, Self.name(of: account)) != nil else { return false }
                let kept: [(row: Row, name: UInt128)] =
                    [(.phone, keys.phoneName(of: number))] + (coming.map { [(.coming, keys.phoneName(of: $0))] } ?? [])
                return try move(account, to: kept, in: file, &state)
            }
            guard isUnscrubbed else { return }
            let bytes = try state.withLock { try opened(&$0).environment.statistics.usedBytes }
            if bytes <= copiedBytesMax { try scrub() } else { try scrubInPlace() }
        }
    }

    /// - Returns: whether rows were removed, so that their bytes are to be scrubbed.
    @available(*, noasync)
    private func move(_ account: AccountID, to kept: [(row: Row, name: UInt128)], in file: KeyFile, _ state: inout State) throws -> Bool {
        var added: [(name: [UInt8], value: [UInt8])] = []
        var wanted: Set<[UInt8]> = []
        for (row, name) in kept {
            let holder = try read(.account, name, in: file)
            guard holder == nil || holder == account.value else { continue }
            wanted.formUnion([Row.account.name(name), row.name(account.value)])
            if holder == nil { added.append((Row.account.name(name), value(account.value, row: name))) }
            if try read(row, account.value, in: file) != name {
                added.append((row.name(account.value), value(name, row: account.value)))
            }
        }
        let rewritten = Set(added.map(\.name))
        let removed = try rows(of: account, in: file).filter { !wanted.contains($0) }
        // A row that gets another value leaves the bytes of the one before, too.
        for row in removed + rewritten { if let masked = try file.value(file.names, row) { state.unscrubbed.append(masked) } }
        guard !added.isEmpty || !removed.isEmpty else { return false }
        try file.replace(removed, by: added)
        return !removed.isEmpty
    }

    /// Accounts that claimed a number for a change which was not settled: a crash came between.
    package func unsettledAccounts() throws -> [AccountID] {
        try state.withLock { state in
            try opened(&state).names(beginningWith: Row.claimed.rawValue).map { name in
                AccountID(name.dropFirst().reduce(0) { $0 << 8 | UInt128($1) })
            }
        }
    }
}
