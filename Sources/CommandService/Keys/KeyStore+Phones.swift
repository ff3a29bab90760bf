import LMDB
public import Loyalty
public import LoyaltyCodec
import Synchronization

/// The table of phone numbers and their accounts. It is in the key store and not in the log, because a row can be erased and an event
/// cannot.
///
/// A number's first registration claims it for an account and makes the account's data key, in one transaction. A second registration of
/// the number gets the same account, even if it runs at the same time as the first, or after a crash that came before the first
/// registration's event was stored. Destroying the data key removes the claim in the same transaction.
extension KeyStore {
    /// A phone number, and the account for which the number is to be claimed.
    public struct PhoneClaim: Sendable {
        package let number: String
        let account: AccountID

        /// The caller MUST normalise the number to E.164 first.
        public init(number: String, account: AccountID) {
            (self.number, self.account) = (number, account)
        }
    }

    /// The kinds of rows in ``KeyFile/names``. A row's name is its kind and 16 bytes; its value is a random salt and 16 bytes masked with
    /// that salt.
    fileprivate enum Row: UInt8 {
        /// The row from a number's name, see `Keys.phoneName(of:)`, to its account.
        case account = 1
        /// The row from an account to its number's name, so that destroying a key does not require the number.
        case phone = 2
        /// The row from an account to the name of a number that it claimed for a change, until that change is in the log.
        case claimed = 3
        /// The row from an account to the name of the number that an operator requested for the account.
        case coming = 4

        func name(_ number: UInt128) -> [UInt8] { [rawValue] + KeyStore.bigEndianBytes(number) }
    }

    /// The account that has claimed a phone number; nil if there is none. The account may not be registered yet.
    public func account(ofPhone number: String) throws -> AccountID? {
        try state.withLock { state in
            try read(.account, keys.phoneName(of: number), in: try opened(&state)).map { AccountID($0) }
        }
    }

    /// Claims each number for its account, unless another account has claimed it. Durable when this returns.
    ///
    /// - Returns: the account of each number, and the data keys of these accounts, all made in one flush.
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

    /// The names of the rows in the table of phones that lead to an account or from it. Empty for a shop, and for an account of an older
    /// release, which made no such rows.
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

/// The move of an account's claim from one number to another.
///
/// The log decides which number an account has: the one sealed in the account's newest event about a number. The claims follow in three
/// steps. A crash after any of them leaves claims that ``settle(_:number:coming:)`` corrects by the log:
///
/// 1. The new number is claimed in addition to the old one. Readers compare a claim with the number in the log, so this claim has no effect
/// yet.
/// 2. The event is committed. From here on the old number's claim has no effect.
/// 3. The old claim is removed, and its bytes are scrubbed. The old number can then be claimed again.
extension KeyStore {
    /// Claims another number for an account that has a key; durable when this returns. If another account has claimed the number, nothing
    /// changes.
    ///
    /// The store remembers one such claim for each account until ``settle(_:number:coming:)``. A second claim in its place would leave the
    /// first number with the account for ever, so the caller MUST settle the first claim before.
    ///
    /// - Returns: the account that has claimed the number.
    /// - Throws: `KeyStoreError.noKey`, `KeyStoreError.unsettled`, or the storage's `LMDBError`.
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
            if let earlier = try read(.claimed, account.value, in: file), earlier != name { throw KeyStoreError.unsettled }
            let rows = [
                (name: Row.account.name(name), value: value(account.value, row: name)),
                (name: Row.claimed.name(account.value), value: value(name, row: account.value)),
            ]
            // If this overwrites rows, their bytes are scrubbed when the claim is settled.
            _ = try replace([], by: rows, in: file, &state)
            return account
        }
    }

    /// Makes an account's claims agree with the log. Does nothing if the account has no key. The log gives the account `number`, and
    /// perhaps `coming`, a second number that an operator requested for it. All other claims of the account are removed and scrubbed. A
    /// number that another account has claimed stays with that account.
    @available(*, noasync)
    package func settle(_ account: AccountID, number: String, coming: String?) throws {
        try destroying.withLock { _ in
            if try move(account, to: number, coming: coming) { try scrubReleased() }
        }
    }

    /// The name under which cards wait for the holder of a number that an operator has requested for an account.
    package static func setAside(_ number: String) -> String { "waiting:\(number)" }

    /// Moves the claim of a person who has not registered from a number to its other name. Returns false if that name is claimed already;
    /// then nothing changes.
    @available(*, noasync)
    package func setAside(_ holder: AccountID, from number: String) throws -> Bool {
        let name = Self.setAside(number)
        guard try account(ofPhone: name) == nil else { return false }
        try settle(holder, number: name, coming: nil)
        return true
    }

    /// Settles an account like ``settle(_:number:coming:)``, but leaves the bytes of removed and overwritten rows in the file. So several
    /// accounts can be settled with one rewrite of the file. The caller MUST call ``finishSettling()`` after the last of them. After a
    /// crash before that, the next opening of the store scrubs the file.
    @available(*, noasync)
    package func settleUnscrubbed(_ account: AccountID, number: String, coming: String?) throws {
        try destroying.withLock { _ in _ = try move(account, to: number, coming: coming) }
    }

    /// Scrubs the bytes that ``settleUnscrubbed(_:number:coming:)`` has left in the file, if there are any.
    @available(*, noasync)
    package func finishSettling() throws {
        try destroying.withLock { _ in
            let isUnscrubbed = try state.withLock { state -> Bool in
                let file = try opened(&state)
                return try file.value(file.meta, KeyFile.Entry.unscrubbed.name) != nil
            }
            if isUnscrubbed { try scrubReleased() }
        }
    }

    /// Scrubs the bytes of removed and overwritten rows. The caller MUST hold ``destroying``.
    @available(*, noasync)
    private func scrubReleased() throws {
        let bytes = try state.withLock { try opened(&$0).environment.statistics.usedBytes }
        if bytes <= copiedBytesMax { try scrub() } else { try scrubInPlace() }
    }

    /// Makes the account's rows agree with the log. Does nothing if the account has no key. Returns whether bytes must be scrubbed.
    @available(*, noasync)
    private func move(_ account: AccountID, to number: String, coming: String?) throws -> Bool {
        try state.withLock { state -> Bool in
            let file = try opened(&state)
            guard try file.value(file.dataKeys, Self.name(of: account)) != nil else { return false }
            let kept: [(row: Row, name: UInt128)] =
                [(.phone, keys.phoneName(of: number))] + (coming.map { [(.coming, keys.phoneName(of: $0))] } ?? [])
            return try move(account, to: kept, in: file, &state)
        }
    }

    /// Makes the account's rows those in `kept`: adds missing rows, and removes all others. Leaves out a name that another account has
    /// claimed. Returns whether rows were removed or overwritten, so that their bytes must be scrubbed.
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
        let removed = try rows(of: account, in: file).filter { !wanted.contains($0) }
        guard !added.isEmpty || !removed.isEmpty else { return false }
        return try replace(removed, by: added, in: file, &state)
    }

    /// Removes and stores rows in one transaction. Overwriting a row leaves its old bytes in the file, just as removing it does, so this
    /// notes both for scrubbing. Returns whether any row was removed or overwritten.
    @available(*, noasync)
    private func replace(
        _ removed: [[UInt8]], by added: [(name: [UInt8], value: [UInt8])], in file: KeyFile, _ state: inout State
    ) throws -> Bool {
        let old = try Set(removed + added.map(\.name)).compactMap { try file.value(file.names, $0) }
        try file.replace(removed, by: added, leavesBytes: !old.isEmpty)
        state.unscrubbed += old
        return !old.isEmpty
    }

    /// An account whose row leads to a number that does not lead back to it; nil if there is none. A row that was removed or changed
    /// between the reads is not counted.
    func accountWithLooseNumber(in file: KeyFile) throws -> AccountID? {
        for row in [Row.phone, .claimed, .coming] {
            for name in try file.names(beginningWith: row.rawValue) {
                let account = name.dropFirst().reduce(0) { $0 << 8 | UInt128($1) }
                let isLoose = try state.withLock { _ in
                    guard let number = try read(row, account, in: file) else { return false }
                    return try read(.account, number, in: file) != account
                }
                if isLoose { return AccountID(account) }
            }
        }
        return nil
    }

    /// Accounts with a claim for a change of number that was not settled, because of a crash.
    package func unsettledAccounts() throws -> [AccountID] { try accounts(with: .claimed) }

    /// Accounts with a claim on a number that an operator requested for them, or with a claim for a change of number that was not settled.
    package func accountsAwaitingPhones() throws -> [AccountID] { try accounts(with: .coming) + accounts(with: .claimed) }

    private func accounts(with row: Row) throws -> [AccountID] {
        try state.withLock { state in
            try opened(&state).names(beginningWith: row.rawValue).map { name in
                AccountID(name.dropFirst().reduce(0) { $0 << 8 | UInt128($1) })
            }
        }
    }
}
