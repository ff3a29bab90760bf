internal import LMDB
internal import Merkle

extension LogStorage {
    /// Returns the log's name. If the log is writable and has no name, gives it one permanently, unless the options leave the name open.
    ///
    /// - Parameters:
    ///   - options: the name that the caller expects or chooses, if any, and whether the log must get a name now.
    ///   - created: the creation time, from which the default name is made.
    /// - Throws: ``EventLogError/Code-swift.struct/otherOrigin``, ``EventLogError/Code-swift.struct/damaged``,
    ///   ``EventLogError/Code-swift.struct/storage``.
    func settleOrigin(_ options: EventLog.Options, created: Timestamp) throws(EventLogError) -> String {
        let asked = options.origin
        if let stored = try storedOrigin() {
            if let asked, asked != stored { throw .named(stored, not: asked) }
            return stored
        }
        let origin = asked ?? Self.defaultOrigin(created)
        let isNamedNow = asked != nil || !options.leavesNameOpen
        if environment.access == .readWrite, isNamedNow { try store(origin: origin) }
        return origin
    }

    /// Rejects an invalid name before a log with this name is created.
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

    /// The default name of a log, under a reserved domain (RFC 2606). It is unique if no two logs are created in the same microsecond.
    private static func defaultOrigin(_ created: Timestamp) -> String { "greentea.invalid/log/\(created.microseconds)" }

    private func store(origin: String) throws(EventLogError) {
        do throws(LMDBError) {
            let environment = environment
            let (key, value) = (LogMeta.originKey, Array(origin.utf8))
            let (guardKey, guarding) = (LogMeta.guardKey(of: key), value.map { ~$0 })
            var transaction = try environment.write()
            try transaction.put(meta, key.span, value.span)
            try transaction.put(meta, guardKey.span, guarding.span)
            // A crash before this call leaves a log without a name. No checkpoint of this log was signed yet, and the next opening gives
            // the log a name.
            try transaction.commit()
        } catch { throw EventLogError(error) }
    }
}

extension LogFile {
    /// Requires that the log's name, if it has one that can be read, is the asked one.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/otherOrigin``.
    package func require(origin asked: String) throws(EventLogError) {
        guard let meta = try? file.tables(of: commit)["meta"], let bytes = try? entries(of: meta)[LogMeta.originKey],
            let stored = String(validating: bytes, as: UTF8.self), stored != asked
        else { return }
        throw .named(stored, not: asked)
    }
}

extension EventLogError {
    fileprivate static func named(_ stored: String, not asked: String) -> Self {
        Self(.otherOrigin, "the log is called \(stored), not \(asked).")
    }
}

/// The table `meta`, which describes the log: its format, its creation and its name.
enum LogMeta {
    /// Key of the magic bytes, which distinguish our environment from another program's.
    static let magicKey: [UInt8] = Array("magic".utf8)
    static let magic: [UInt8] = Array("GreenTea event log".utf8)
    /// Key of the format, a u32. It covers the layout of the tables; records carry their own format.
    static let formatKey: [UInt8] = Array("format".utf8)
    static let format: UInt32 = 1
    /// Key of the creation time, an i64 of microseconds since 1970: given by the creator, never changed.
    static let createdKey: [UInt8] = Array("created".utf8)
    /// Key of the log's name in checkpoints, in UTF-8: set once, by an opening for writing, and never changed.
    static let originKey: [UInt8] = Array("origin".utf8)

    /// The key of a value's guard: a copy of the value with each bit inverted, for detecting damage. Without it, a changed creation time or
    /// name would go unnoticed.
    static func guardKey(of key: [UInt8]) -> [UInt8] { key + " guard".utf8 }

    /// The keys that the table `meta` may have.
    static let keys: Set<[UInt8]> = [
        magicKey, formatKey, createdKey, guardKey(of: createdKey), originKey, guardKey(of: originKey),
    ]

    /// The entries of the table `meta` in a new log.
    static func entries(created: Timestamp) -> [(key: [UInt8], value: [UInt8])] {
        var formatBytes: [UInt8] = []
        formatBytes.append(littleEndian: format)
        var createdBytes: [UInt8] = []
        createdBytes.append(littleEndian: created.microseconds)
        return [
            (magicKey, magic), (formatKey, formatBytes), (createdKey, createdBytes), (guardKey(of: createdKey), createdBytes.map { ~$0 }),
        ]
    }

    /// The key of a type's name in the table `names`.
    static func key(of type: EventType) -> [UInt8] {
        [UInt8(ascii: "t"), UInt8(type.rawValue >> 8), UInt8(truncatingIfNeeded: type.rawValue)]
    }

    /// The key of a tag kind's name in the table `names`.
    static func key(of kind: TagKind) -> [UInt8] { [UInt8(ascii: "k"), kind.rawValue] }
}

/// Examines a folder, without writing to it, before it is opened as a log. So another program's file is rejected and not modified.
struct LogProbe {
    /// The content of a folder.
    enum Finding {
        /// No log: the folder is missing or empty, or has the remains of an interrupted creation.
        case nothing
        /// A log in a format that this program knows.
        case log
    }

    private let directory: String

    /// Examines a folder.
    ///
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
            // If the table is missing, another program has written this file, because our first transaction would have created the table.
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
