internal import LMDB

/// A look at a folder before it is opened as a log, without writing: another program's file is refused and gets no table of ours.
struct LogProbe {
    /// What a folder holds.
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
