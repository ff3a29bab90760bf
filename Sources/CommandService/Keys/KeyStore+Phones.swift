import LMDB
public import Loyalty
public import LoyaltyCodec
import Synchronization

/// The table of phone numbers and their accounts, in the key store because a row can be erased and an event cannot.
///
/// A first registration claims the number and makes the data key in one transaction. A second one gets the same account, even after a crash
/// before the first one's event. Destroying the key removes the claim too.
extension KeyStore {
    /// A phone number, and the account for which it is to be claimed.
    public struct PhoneClaim: Sendable {
        package let number: String
        let account: AccountID

        /// The caller MUST normalise the number to E.164 first.
        public init(number: String, account: AccountID) { (self.number, self.account) = (number, account) }
    }

    /// The kinds of rows in ``KeyFile/names``. A name is the kind and 16 bytes; a value is a random salt and 16 bytes masked with it.
    enum Row: UInt8 {
        case account = 1
        /// From an account to its number's name, so that destroying a key does not need the number.
        case phone = 2
        case claimed = 3
        case coming = 4
        /// For an account or shop that another node must be asked about again; its value has no meaning.
        case awaited = 5

        /// The kinds that lead from an account to a number's name.
        static let numbers = [Row.phone, .claimed, .coming]

        func name(_ number: UInt128) -> [UInt8] { [rawValue] + number.bigEndianBytes }
    }

    /// The account may not be registered yet.
    public func account(ofPhone number: String) throws -> AccountID? {
        try state.withLock { state in
            try read(.account, keys.phoneName(of: number), in: try opened(&state)).map { AccountID($0) }
        }
    }

    /// Claims each number for its account, unless another account has claimed it. Durable when this returns.
    ///
    /// - Returns: the accounts of the numbers, and their data keys, made in one flush.
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

    func rows(of account: AccountID, in file: KeyFile) throws -> [[UInt8]] {
        try Row.numbers.flatMap { row -> [[UInt8]] in
            guard let name = try read(row, account.value, in: file) else { return [] }
            let mine = row.name(account.value)
            return try read(.account, name, in: file) == account.value ? [Row.account.name(name), mine] : [mine]
        }
    }

    func read(_ row: Row, _ name: UInt128, in file: KeyFile) throws -> UInt128? {
        guard let stored = try file.value(file.names, row.name(name)), stored.count == 32 else { return nil }
        func number(_ bytes: ArraySlice<UInt8>) -> UInt128 { bytes.reduce(0) { $0 << 8 | UInt128($1) } }
        return keys.masked(number(stored[16...]), salt: number(stored[..<16]), row: name)
    }

    func value(_ value: UInt128, row: UInt128) -> [UInt8] {
        let salt = UInt128(randomness.next()) << 64 | UInt128(randomness.next())
        return salt.bigEndianBytes + keys.masked(value, salt: salt, row: row).bigEndianBytes
    }
}

/// The move of an account's claim from one number to another.
///
/// The account's newest event about a number decides. A crash after any step leaves claims that ``settle(_:number:coming:)`` corrects:
///
/// 1. The new number is claimed in addition. Readers compare claims with the log, so this claim has no effect yet.
/// 2. The event is committed. From here on the old claim has no effect.
/// 3. The old claim is removed and scrubbed. The old number can then be claimed again.
extension KeyStore {
    /// Claims another number for an account; durable when this returns. Changes nothing if another account has the number.
    ///
    /// The store remembers one such claim per account, so the caller MUST ``settle(_:number:coming:)`` the first before a second, or the
    /// account keeps the first number for ever.
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
            // Overwritten bytes are scrubbed when the claim is settled.
            _ = try replace([], by: rows, in: file, &state)
            return account
        }
    }

    /// Makes an account's claims agree with the log, which gives it `number` and perhaps `coming`; others are removed and scrubbed. Does
    /// nothing without a key. A number claimed by another account stays there.
    @available(*, noasync)
    package func settle(_ account: AccountID, number: String, coming: String?) throws {
        try destroying.withLock { _ in
            if try move(account, to: number, coming: coming) { try scrubReleased() }
        }
    }

    package static func setAside(_ number: String) -> String { "waiting:\(number)" }

    /// Moves an unregistered person's claim to the number's ``setAside(_:)`` name. Returns false if that is claimed already.
    @available(*, noasync)
    package func setAside(_ holder: AccountID, from number: String) throws -> Bool {
        let name = Self.setAside(number)
        guard try account(ofPhone: name) == nil else { return false }
        try settle(holder, number: name, coming: nil)
        return true
    }

    /// Settles an account, but leaves old bytes in the file, so that several accounts need one rewrite. The caller MUST call
    /// ``finishSettling()`` afterwards; after a crash, the next opening scrubs.
    @available(*, noasync)
    package func settleUnscrubbed(_ account: AccountID, number: String, coming: String?) throws {
        try destroying.withLock { _ in _ = try move(account, to: number, coming: coming) }
    }

    /// Scrubs the bytes that ``settleUnscrubbed(_:number:coming:)`` has left.
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

    /// Scrubs removed and overwritten rows. The caller MUST hold ``destroying``.
    @available(*, noasync)
    func scrubReleased() throws {
        let bytes = try state.withLock { try opened(&$0).environment.statistics.usedBytes }
        if bytes <= copiedBytesMax { try scrub() } else { try scrubInPlace() }
    }

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

    /// Returns whether bytes must be scrubbed.
    @available(*, noasync)
    private func move(_ account: AccountID, to kept: [(row: Row, name: UInt128)], in file: KeyFile, _ state: inout State) throws -> Bool {
        var added: [(name: [UInt8], value: [UInt8])] = []
        var wanted: Set<[UInt8]> = []
        for (row, name) in kept {
            let holder = try read(.account, name, in: file)
            guard holder == nil || holder == account.value else { continue }
            wanted.formUnion([Row.account.name(name), row.name(account.value)])
            if holder == nil { added.append((Row.account.name(name), value(account.value, row: name))) }
            if try read(row, account.value, in: file) != name { added.append((row.name(account.value), value(name, row: account.value))) }
        }
        let removed = try rows(of: account, in: file).filter { !wanted.contains($0) }
        guard !added.isEmpty || !removed.isEmpty else { return false }
        return try replace(removed, by: added, in: file, &state)
    }

    /// Removes and stores rows in one transaction. Overwritten bytes stay in the file, so both are noted for scrubbing.
    @available(*, noasync)
    private func replace(
        _ removed: [[UInt8]], by added: [(name: [UInt8], value: [UInt8])], in file: KeyFile, _ state: inout State
    ) throws -> Bool {
        let old = try Set(removed + added.map(\.name)).compactMap { try file.value(file.names, $0) }
        try file.replace(removed, by: added, leavesBytes: !old.isEmpty)
        state.unscrubbed += old
        return !old.isEmpty
    }

    /// An account whose number does not lead back to it. Rows that change between the reads are skipped.
    func accountWithLooseNumber(in file: KeyFile) throws -> AccountID? {
        for row in Row.numbers {
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

    /// Accounts whose claim for a change of number was not settled, because of a crash.
    package func unsettledAccounts() throws -> [AccountID] { try accounts(with: .claimed) }

    /// Accounts with a claim on a requested number, or with an unsettled claim.
    package func accountsAwaitingPhones() throws -> [AccountID] { try accounts(with: .coming) + accounts(with: .claimed) }

    private func accounts(with row: Row) throws -> [AccountID] {
        try state.withLock { state in
            try opened(&state).names(beginningWith: row.rawValue).map { name in
                AccountID(name.dropFirst().reduce(0) { $0 << 8 | UInt128($1) })
            }
        }
    }
}
