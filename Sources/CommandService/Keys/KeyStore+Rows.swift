import Caches
package import EventLog
import LMDB
package import Loyalty
import LoyaltyCodec
import Synchronization

/// The exchange of data keys and phones between nodes with one root secret.
extension KeyStore {
    /// The outcome of an adoption.
    package struct Adoption: Sendable {
        /// Holders without a key at the other node. Those that have none here either stay among ``awaitedHolders(after:limit:)``.
        package let absent: [AccountID]
        /// Accounts that have lost a number to another one by the other node's rows. They are awaited, too.
        package var displaced: [AccountID]
        /// Another node may lack a key that the writer has.
        package let isOfWriter: Bool
    }

    /// The data keys and phones of accounts and ``ShopID/keyHolder``s for another node, sealed.
    ///
    /// - Parameters:
    ///   - holders: at most ``Limits/askedHoldersMax``.
    ///   - position: the log's head. The caller MUST have read it before.
    ///   - isWriter: whether this node writes.
    /// - Throws: the storage's `LMDBError`, or a `CodecError` for a key that does not open.
    package func wrappedRows(of holders: [AccountID], asOf position: Position, isWriter: Bool = true) throws -> [UInt8] {
        precondition(holders.count <= Limits.askedHoldersMax, "more holders than a message may have")
        var message = KeyRows(asOf: position, isOfWriter: isWriter)
        message.rows = try state.withLock { state in
            let file = try opened(&state)
            return try holders.map { try stored(of: $0, in: file, isCondemned: state.condemned.contains($0)) }
        }
        return try message.bytes(keys) { randomness.bytes(Sealing.nonceLength) }
    }

    private func stored(of holder: AccountID, in file: KeyFile, isCondemned: Bool) throws -> KeyRows.Rows {
        guard !isCondemned, let wrapped = try file.value(file.dataKeys, Self.name(of: holder)) else { return .init(holder: holder) }
        let numbers = try Row.numbers.compactMap { row -> (Row, UInt128)? in
            guard let name = try read(row, holder.value, in: file), try read(.account, name, in: file) == holder.value else { return nil }
            return (row, name)
        }
        // A damaged row counts as missing, so that the other holders of the answer get theirs.
        guard let key = try? keys.unwrap(wrapped, for: holder) else { return .init(holder: holder) }
        return .init(holder: holder, key: key, numbers: numbers)
    }

    /// Stores another node's data keys and phones in one transaction, durable when this returns; replaced rows are scrubbed.
    ///
    /// A key that is here stays. An account's numbers become those of the other node, also those that another account has here. The
    /// holders that the other node has no key of, and that have none here, are noted to be asked for again.
    ///
    /// - Parameters:
    ///   - message: what another node's ``wrappedRows(of:asOf:)`` has returned.
    ///   - holders: those that the other node was asked for.
    ///   - position: the events that this node has asked because of. An answer from before them is refused.
    ///   - keysOnly: leaves phones as they are.
    ///   - hasNumber: whether a number, by its name, must stay with the account that has it here; the rows are refused then.
    ///   - isErased: whether the log has erased a holder, whose key is then left out. Called while no key can be destroyed, so that a
    ///     key is either left out here or destroyed afterwards.
    /// - Throws: ``KeyRowsError``, a `CodecError`, errors of `isErased`, all with nothing changed; the storage's `LMDBError`.
    @available(*, noasync)
    package func adopt(
        _ message: [UInt8], of holders: [AccountID], asOf position: Position, keysOnly: Bool = false,
        keeping hasNumber: (AccountID, UInt128) throws -> Bool = { _, _ in false }, unless isErased: (AccountID) throws -> Bool
    ) throws -> Adoption {
        let message = try KeyRows(message, keys)
        guard message.rows.map(\.holder) == holders else { throw KeyRowsError.otherHolders }
        guard message.position >= position else { throw KeyRowsError.older(message.position, than: position) }
        return try destroying.withLock { _ in
            let erased = try Set(holders.filter(isErased))
            let others = try state.withLock { try rivals(of: message, in: try opened(&$0)) }
            for rival in others where try hasNumber(rival.account, rival.name) {
                throw KeyRowsError.takenNumber(rival.account, asOf: message.position)
            }
            let (adoption, leavesBytes) = try state.withLock { try store(message, keysOnly: keysOnly, leavingOut: erased, &$0) }
            if leavesBytes { try scrubReleased() }
            return adoption
        }
    }

    /// The accounts here that have numbers of the message, and are not in it.
    private func rivals(of message: KeyRows, in file: KeyFile) throws -> [(account: AccountID, name: UInt128)] {
        let senders = Set(message.rows.map(\.holder))
        return try message.rows.flatMap(\.numbers).compactMap { number in
            let holder = try read(.account, number.name, in: file).map { AccountID($0) }
            return holder.flatMap { senders.contains($0) ? nil : ($0, number.name) }
        }
    }

    /// The holders that another node's ``wrappedRows(of:asOf:isWriter:)`` have no key of.
    ///
    /// - Throws: ``KeyRowsError``.
    package func absent(in message: [UInt8]) throws -> [AccountID] {
        try KeyRows(message, keys).rows.filter { $0.key == nil }.map(\.holder)
    }

    @available(*, noasync)
    private func store(
        _ message: KeyRows, keysOnly: Bool, leavingOut erased: Set<AccountID>, _ state: inout State
    ) throws -> (Adoption, leavesBytes: Bool) {
        let file = try opened(&state)
        var change = RowChange()
        var absent: [AccountID] = []
        for rows in message.rows {
            let holder = rows.holder
            let isAwaited = try read(.awaited, holder.value, in: file) != nil
            if erased.contains(holder) || state.condemned.contains(holder) {
                if isAwaited { change.answered.insert(Row.awaited.name(holder.value)) }
            } else if let key = rows.key {
                try add(key, of: holder, in: file, to: &change)
                if !keysOnly { try add(rows, in: file, to: &change) }
                if isAwaited { change.answered.insert(Row.awaited.name(holder.value)) }
            } else {
                absent.append(holder)
                let isHere = try file.value(file.dataKeys, Self.name(of: holder)) != nil
                if !isHere, !isAwaited { change.added[Row.awaited.name(holder.value)] = value(holder.value, row: holder.value) }
            }
        }
        let displaced = change.displaced.subtracting(message.rows.map(\.holder))
        for account in displaced {
            change.added[Row.awaited.name(account.value)] = value(account.value, row: account.value)
        }
        // A number's next account may be in the same message as its last one.
        change.removed.subtract(change.wanted)
        let old = try change.removed.union(change.added.keys.filter { $0.first != Row.awaited.rawValue })
            .compactMap { try file.value(file.names, $0) }
        try file.replace(
            change.removed.union(change.answered), by: change.added.map { ($0.key, $0.value) }, leavesBytes: !old.isEmpty,
            keys: change.keys)
        state.unscrubbed += old
        return (Adoption(absent: absent, displaced: displaced.sorted(), isOfWriter: message.isOfWriter), !old.isEmpty)
    }

    private func add(_ key: DataKey, of holder: AccountID, in file: KeyFile, to change: inout RowChange) throws {
        guard let stored = try file.value(file.dataKeys, Self.name(of: holder)) else {
            let wrapped = try keys.wrap(key, for: holder, nonce: randomness.bytes(Sealing.nonceLength))
            return change.keys.append((Self.name(of: holder), wrapped))
        }
        guard try keys.unwrap(stored, for: holder) == key else { throw KeyRowsError.otherKey(holder) }
    }

    private func add(_ rows: KeyRows.Rows, in file: KeyFile, to change: inout RowChange) throws {
        let account = rows.holder.value
        change.removed.formUnion(try self.rows(of: rows.holder, in: file))
        for (row, name) in rows.numbers {
            change.wanted.formUnion([Row.account.name(name), row.name(account)])
            if try read(row, account, in: file) != name { change.added[row.name(account)] = value(name, row: account) }
            let holder = try read(.account, name, in: file)
            if holder != account { change.added[Row.account.name(name)] = value(account, row: name) }
            guard let holder, holder != account else { continue }
            change.displaced.insert(AccountID(holder))
            for row in Row.numbers where try read(row, holder, in: file) == name { change.removed.insert(row.name(holder)) }
        }
    }

    /// Rows by their names.
    private struct RowChange {
        var keys: [(name: [UInt8], value: [UInt8])] = []
        var added: [[UInt8]: [UInt8]] = [:]
        var removed: Set<[UInt8]> = []
        /// Stay if they are there.
        var wanted: Set<[UInt8]> = []
        /// Removed, without anything to scrub.
        var answered: Set<[UInt8]> = []
        var displaced: Set<AccountID> = []
    }
}

/// The part of the log that a follower's keys include, and the keys that it lacks.
extension KeyStore {
    /// The holders without a key here, which may have been destroyed.
    package func lacking(_ holders: some Sequence<AccountID>) throws -> [AccountID] {
        try state.withLock { state in
            let file = try opened(&state)
            return try holders.filter { try file.value(file.dataKeys, Self.name(of: $0)) == nil }
        }
    }

    /// The holders with a key and without a number here.
    package func lackingNumbers(_ holders: some Sequence<AccountID>) throws -> [AccountID] {
        try state.withLock { state in
            let file = try opened(&state)
            return try holders.filter { holder in
                guard try file.value(file.dataKeys, Self.name(of: holder)) != nil else { return false }
                return try Row.numbers.allSatisfy { try read($0, holder.value, in: file) == nil }
            }
        }
    }

    /// Holders that are not awaited are ignored. Durable when this returns.
    @available(*, noasync)
    package func stopAwaiting(_ holders: [AccountID]) throws {
        guard !holders.isEmpty else { return }
        try state.withLock { state in
            try opened(&state).replace(holders.map { Row.awaited.name($0.value) }, by: [], leavesBytes: false)
        }
    }

    /// Holders that another node must be asked about again, in ascending order.
    package func awaitedHolders(after last: AccountID? = nil, limit: Int = .max) throws -> [AccountID] {
        try state.withLock { state in
            let start = last.map { Row.awaited.name($0.value) }
            return try opened(&state).names(beginningWith: Row.awaited.rawValue, after: start, limit: limit).map { name in
                AccountID(name.dropFirst().reduce(0) { $0 << 8 | UInt128($1) })
            }
        }
    }

    /// The position through which the keys include what the log says; ``Position/start`` if they were with another log.
    package func followed(in log: EventLog) throws -> Position {
        let note = try state.withLock { state in
            let file = try opened(&state)
            return try file.value(file.meta, KeyFile.Entry.followed.name).flatMap { ErasureNote($0.span) }
        }
        return note.flatMap { $0.holds(in: log) ? $0.position : nil } ?? .start
    }

    /// Whether this folder has followed another node, and no writer has finished that.
    package var hasFollowed: Bool {
        get throws {
            try state.withLock { state in
                let file = try opened(&state)
                return try file.value(file.meta, KeyFile.Entry.followed.name).map { !$0.isEmpty } ?? false
            }
        }
    }

    /// Notes that the keys are a writer's.
    @available(*, noasync)
    package func endFollowing() throws {
        try state.withLock { state in
            let file = try opened(&state)
            try file.put([(file.meta, KeyFile.Entry.followed.name, [])])
        }
    }

    /// Notes that the keys include what the log says through a position. Durable when this returns.
    @available(*, noasync)
    package func noteFollowed(_ position: Position, in log: EventLog) throws {
        let bytes = try ErasureNote(of: log, through: position).bytes
        try state.withLock { state in
            let file = try opened(&state)
            try file.put([(file.meta, KeyFile.Entry.followed.name, bytes)])
        }
    }
}
