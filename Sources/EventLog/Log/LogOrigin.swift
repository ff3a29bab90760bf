internal import LMDB
internal import Merkle

extension LogStorage {
    /// Gives a writable log without a name one permanently, unless the options leave it open.
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

    static func check(origin: String?) throws(EventLogError) {
        guard let origin, !Checkpoint.isOrigin(origin) else { return }
        throw EventLogError(.invalidOrigin, "a log cannot be called '\(origin)'.")
    }

    func storedOrigin() throws(EventLogError) -> String? {
        guard let bytes = try environment.value(meta, LogMeta.originKey) else { return nil }
        guard let origin = String(validating: bytes, as: UTF8.self), Checkpoint.isOrigin(origin) else {
            throw EventLogError(.damaged, "the log's name is none.")
        }
        return origin
    }

    /// Under a reserved domain (RFC 2606); unique unless two logs are created in one microsecond.
    private static func defaultOrigin(_ created: Timestamp) -> String { "greentea.invalid/log/\(created.microseconds)" }

    private func store(origin: String) throws(EventLogError) {
        do throws(LMDBError) {
            let environment = environment
            let (key, value) = (LogMeta.originKey, Array(origin.utf8))
            let (guardKey, guarding) = (LogMeta.guardKey(of: key), value.map { ~$0 })
            var transaction = try environment.write()
            try transaction.put(meta, key.span, value.span)
            try transaction.put(meta, guardKey.span, guarding.span)
            // A crash here leaves a log without a name; no checkpoint was signed yet, and the next opening names it.
            try transaction.commit()
        } catch { throw EventLogError(error) }
    }
}

extension LogFile {
    /// Requires the asked name, if the log has a readable one.
    ///
    /// - Throws: ``EventLogError`` `.otherOrigin`.
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

/// The table `meta`: the log's format, creation and name.
enum LogMeta {
    static let magicKey: [UInt8] = Array("magic".utf8)
    static let magic: [UInt8] = Array("GreenTea event log".utf8)
    /// A u32 for the layout of the tables; records carry their own format.
    static let formatKey: [UInt8] = Array("format".utf8)
    static let format: UInt32 = 1
    /// An i64 of microseconds since 1970, never changed.
    static let createdKey: [UInt8] = Array("created".utf8)
    /// The name in UTF-8, set once by an opening for writing.
    static let originKey: [UInt8] = Array("origin".utf8)

    /// A value's guard is its copy with each bit inverted, so that a damaged creation time or name is noticed.
    static func guardKey(of key: [UInt8]) -> [UInt8] { key + " guard".utf8 }

    static let keys: Set<[UInt8]> = [magicKey, formatKey, createdKey, guardKey(of: createdKey), originKey, guardKey(of: originKey)]

    static func entries(created: Timestamp) -> [(key: [UInt8], value: [UInt8])] {
        var formatBytes: [UInt8] = []
        formatBytes.append(littleEndian: format)
        var createdBytes: [UInt8] = []
        createdBytes.append(littleEndian: created.microseconds)
        return [
            (magicKey, magic), (formatKey, formatBytes), (createdKey, createdBytes), (guardKey(of: createdKey), createdBytes.map { ~$0 }),
        ]
    }

    static func key(of type: EventType) -> [UInt8] {
        [UInt8(ascii: "t"), UInt8(type.rawValue >> 8), UInt8(truncatingIfNeeded: type.rawValue)]
    }

    static func key(of kind: TagKind) -> [UInt8] { [UInt8(ascii: "k"), kind.rawValue] }
}

/// Examines a folder without writing to it, so that another program's file is rejected and not modified.
struct LogProbe {
    enum Finding {
        /// The folder is missing or empty, or has the remains of an interrupted creation.
        case nothing
        case log
    }

    private let directory: String

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
            // Our first transaction creates the table, so another program wrote this file.
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
