internal import LMDB
internal import Merkle

extension LogStorage {
    /// The log's name. A writable log without a name gets one for ever.
    ///
    /// - Parameters:
    ///   - options: the caller's name for it, nil for the present one; and whether it must get a name now.
    ///   - created: when it was made, which names a log that has no other name.
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

    /// The stored name of the log; nil for a log without one.
    func storedOrigin() throws(EventLogError) -> String? {
        guard let bytes = try environment.value(meta, LogMeta.originKey) else { return nil }
        guard let origin = String(validating: bytes, as: UTF8.self), Checkpoint.isOrigin(origin) else {
            throw EventLogError(.damaged, "the log's name is none.")
        }
        return origin
    }

    /// A unique name under a reserved domain (RFC 2606). No two logs are made in one microsecond.
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

/// The table `meta`, which describes the log: its format, its creation and its name.
enum LogMeta {
    /// Key of ``magic``: what tells our environment from another program's.
    static let magicKey: [UInt8] = Array("magic".utf8)
    static let magic: [UInt8] = Array("GreenTea event log".utf8)
    /// Key of the format, u32: the layout of the tables, not of records, which carry their own.
    static let formatKey: [UInt8] = Array("format".utf8)
    static let format: UInt32 = 1
    /// Key of the moment of creation, i64, microseconds since 1970: handed in, never changed.
    static let createdKey: [UInt8] = Array("created".utf8)
    /// Key of the log's name in checkpoints, UTF-8: given at the first opening for writing, never changed.
    static let originKey: [UInt8] = Array("origin".utf8)

    /// The key of a value's guard: the same bytes, each bit inverted, for those who look for damage. Nothing else in a log could tell
    /// that its time of creation or its name has changed.
    static func guardKey(of key: [UInt8]) -> [UInt8] { key + " guard".utf8 }

    /// The keys that the table may have beside the names.
    static let keys: Set<[UInt8]> = [
        magicKey, formatKey, createdKey, guardKey(of: createdKey), originKey, guardKey(of: originKey),
    ]

    /// The entries of a new log.
    static func entries(created: Timestamp) -> [(key: [UInt8], value: [UInt8])] {
        var formatBytes: [UInt8] = []
        formatBytes.append(littleEndian: format)
        var createdBytes: [UInt8] = []
        createdBytes.append(littleEndian: created.microseconds)
        return [
            (magicKey, magic), (formatKey, formatBytes), (createdKey, createdBytes), (guardKey(of: createdKey), createdBytes.map { ~$0 }),
        ]
    }

    /// The key of a type's name.
    static func key(of type: EventType) -> [UInt8] {
        [UInt8(ascii: "t"), UInt8(type.rawValue >> 8), UInt8(truncatingIfNeeded: type.rawValue)]
    }

    /// The key of a tag kind's name.
    static func key(of kind: TagKind) -> [UInt8] { [UInt8(ascii: "k"), kind.rawValue] }
}

/// A look at a folder before it is opened as a log, without writing: another program's file is refused and gets no table of ours.
struct LogProbe {
    /// The content of a folder.
    enum Finding {
        /// Nothing, or a creation that was cut short.
        case nothing
        /// A log of a format that this program knows.
        case log
    }

    private let directory: String

    /// - Throws: ``EventLogError/Code-swift.struct/notALog``, ``EventLogError/Code-swift.struct/formatTooNew``,
    ///   ``EventLogError/Code-swift.struct/damaged``, ``EventLogError/Code-swift.struct/storage``.
    static func look(at directory: String, _ options: EventLog.Options) throws(EventLogError) -> Finding {
        let environment: Environment
        do throws(LMDBError) {
            environment = try Environment(directory: directory, access: .readOnly, options: options.environment)
        } catch {
            if error.code == .missing { return .nothing }
            throw EventLogError(opening: error)
        }
        if environment.statistics.lastTransaction == 0 { return .nothing }
        return try LogProbe(directory: directory).look(in: environment)
    }

    private func look(in environment: Environment) throws(EventLogError) -> Finding {
        let meta: Table
        do throws(LMDBError) { meta = try environment.table("meta", .bytes) } catch {
            // Somebody has written here, but not we: our first transaction makes this table.
            throw error.code == .missing || error.code == .misuse ? foreign : EventLogError(opening: error)
        }
        if try environment.isEmpty(meta) { return .nothing }
        guard try environment.value(meta, LogMeta.magicKey) == LogMeta.magic else { throw foreign }
        guard let format = try environment.value(meta, LogMeta.formatKey), format.count == 4 else { throw foreign }
        let number = format.span.littleEndian32(at: 0)
        if number > LogMeta.format {
            throw EventLogError(.formatTooNew, "\(directory) has format \(number), this program knows \(LogMeta.format).")
        }
        return .log
    }

    private var foreign: EventLogError { EventLogError(.notALog, "\(directory) holds an LMDB environment, but not one of ours.") }
}
