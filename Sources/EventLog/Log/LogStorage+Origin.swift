internal import LMDB
internal import Merkle

extension LogStorage {
    /// What the log is called; a log that may be written and has no name yet gets one for ever.
    ///
    /// - Parameters:
    ///   - options: what the caller calls it, nil for whatever it is called; and whether it must get a name now.
    ///   - created: when it was made, which names a log that nobody gives a name.
    /// - Throws: ``EventLogError/Code-swift.struct/otherOrigin``, ``EventLogError/Code-swift.struct/damaged``,
    ///   ``EventLogError/Code-swift.struct/storage``.
    func settleOrigin(_ options: EventLog.Options, created: Timestamp) throws(EventLogError) -> String {
        let asked = options.origin
        if let stored = try storedOrigin() {
            if let asked, asked != stored { throw EventLogError(.otherOrigin, "the log is called \(stored), not \(asked).") }
            return stored
        }
        let origin = asked ?? Self.defaultOrigin(created)
        let isNamedNow = asked != nil || !options.leavesNameOpen
        if environment.access == .readWrite, isNamedNow { try store(origin: origin) }
        return origin
    }

    /// Refuses what no log may be called, before one is made for it.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/invalidOrigin``.
    static func check(origin: String?) throws(EventLogError) {
        guard let origin, !Checkpoint.isOrigin(origin) else { return }
        throw EventLogError(.invalidOrigin, "a log cannot be called '\(origin)'.")
    }

    /// The name that the log has; nil for one that nobody has named yet.
    func storedOrigin() throws(EventLogError) -> String? {
        guard let bytes = try environment.value(meta, LogMeta.originKey) else { return nil }
        guard let origin = String(validating: bytes, as: UTF8.self), Checkpoint.isOrigin(origin) else {
            throw EventLogError(.damaged, "the log's name is none.")
        }
        return origin
    }

    /// A name of the log's own, under a domain that nobody can register (RFC 2606): two logs are not made in one microsecond.
    private static func defaultOrigin(_ created: Timestamp) -> String { "greentea.invalid/log/\(created.microseconds)" }

    private func store(origin: String) throws(EventLogError) {
        do throws(LMDBError) {
            let environment = environment
            let (key, value) = (LogMeta.originKey, Array(origin.utf8))
            let (guardKey, guarding) = (LogMeta.guardKey(of: key), value.map { ~$0 })
            var transaction = try environment.write()
            try transaction.put(meta, key.span, value.span)
            try transaction.put(meta, guardKey.span, guarding.span)
            // A crash before this leaves a log without a name, of which nothing was signed; the next opening names it.
            try transaction.commit()
        } catch { throw EventLogError(error) }
    }
}
