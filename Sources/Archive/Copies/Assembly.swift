internal import Audit
internal import EventLog
internal import Foundation
internal import LMDB
internal import LoyaltyCodec
internal import Merkle

/// The parts from which a restore assembles a full backup: a chain of backups, perhaps only up to a position, and salvaged events.
struct Assembly {
    let chain: BackupChain?
    /// Nil if no event of the chain is left out.
    let cut: UInt64?
    let salvaged: String?

    /// - Throws: ``AuditError/Code/input`` for a bound before the first event or behind the last one; like ``BackupChain/init(to:)``.
    init(from path: String?, until bound: ReplayBound?, salvaged: String?) throws(AuditError) {
        self.salvaged = salvaged
        guard let path else {
            (chain, cut) = (nil, nil)
            return
        }
        let whole = try BackupChain(to: path)
        guard let bound else {
            (chain, cut) = (whole, nil)
            return
        }
        let position = try Self.position(of: bound, in: whole)
        guard position < whole.events else {
            (chain, cut) = (whole, nil)
            return
        }
        let count = whole.links.firstIndex { $0.through >= position } ?? whole.links.count - 1
        (chain, cut) = (BackupChain(links: Array(whole.links.prefix(count + 1))), position)
    }

    /// Names of the pictures that the restored log may need. With a cut, any picture of the chain may be needed.
    var pictures: [String] {
        get throws(AuditError) {
            guard let chain else { return [] }
            return cut == nil ? try chain.pictures : try chain.presentPictures().sorted()
        }
    }

    /// An estimate in bytes. It assumes that events take less than twice as many bytes in a log as in a file.
    var byteCount: Int {
        var bytes = 2 * (salvaged.map { Self.size(of: $0) } ?? 0)
        for link in chain?.links ?? [] {
            // Pictures that cannot be listed are not restored, so they need no space.
            let pictures = (try? link.pictures.byteCount) ?? 0
            bytes += Self.size(of: link.path + "/log/data.mdb") + pictures + 2 * (link.manifest?.byteCount ?? 0)
        }
        return bytes
    }

    /// Writes the log, the pictures, and the newest checkpoint that covers no more than the log.
    ///
    /// - Parameter now: the creation time of a log that is made of salvaged events alone.
    func fill(_ copy: CopiedFolder, _ pictures: [String], now: Timestamp) throws(AuditError) -> Assembled {
        if let base = chain?.links[0].path {
            if let cut, cut < chain?.links[0].through ?? 0 {
                try copy.copy(log: DataFolder(base).log, as: "log", through: Position(cut))
            } else {
                try copy.copy(environment: DataFolder(base).log, as: "log")
            }
        }
        let imported = try append(to: DataFolder(copy.partial), now)
        let end = cut == nil && salvaged == nil ? nil : try cutToWholeCommands(copy)
        let folder = PictureFolder(path: copy.partial + "/blobs")
        for link in chain?.links ?? [] { _ = try link.pictures.copy(pictures, to: folder) }
        let signed = (chain?.links ?? []).filter { link in
            let isDamaged = (try? CheckpointCheck(folder: AuditedFolder(link.path), file: nil, key: nil))?.isDamaged ?? false
            return !isDamaged && Checkpoint.size(inFile: DataFolder(link.path).checkpoint) ?? 0 <= end ?? .max
        }
        for name in ["checkpoint", "checkpoint.vkey"] {
            let files = signed.map { $0.path + "/" + name }
            guard let bytes = files.reversed().lazy.compactMap({ FileManager.default.contents(atPath: $0) }).first else { continue }
            try copy.write([UInt8](bytes), as: name)
        }
        return Assembled(imported: imported, end: end)
    }

    /// Cuts the assembled log after its last whole command, and returns the last position.
    private func cutToWholeCommands(_ copy: CopiedFolder) throws(AuditError) -> UInt64 {
        let (log, rest) = (DataFolder(copy.partial).log, copy.partial + "/rest")
        let whole = try AuditedFolder(copy.partial).log(.readOnly)
        let (head, last) = (whole.head, try WholeCommands(in: whole).last)
        do {
            try whole.close()
            guard last < head else { return head.rawValue }
            try DurableNames.move(log, to: rest)
            try copy.copy(log: rest, as: "log", through: last)
            try FileManager.default.removeItem(atPath: rest)
        } catch { throw AuditError(any: error) }
        return last.rawValue
    }

    private func append(to folder: DataFolder, _ now: Timestamp) throws(AuditError) -> Import.Summary? {
        guard salvaged != nil || chain?.links.count ?? 0 > 1 else { return nil }
        // The service builds its own index for the restored log.
        defer { try? FileManager.default.removeItem(atPath: folder.derived) }
        do {
            let made = chain == nil ? nil : try AuditedFolder(folder.path).log(.readWrite)
            for link in chain?.links.dropFirst() ?? [] {
                guard let made else { break }
                try EventsFile(path: link.path + "/" + IncrementManifest.eventsName).append(to: made, through: cut)
            }
            guard let salvaged else {
                try made?.close()
                return nil
            }
            var log = made
            let summary = try Import { name in
                let opened = try made ?? Self.newLog(in: folder, named: name, now)
                log = opened
                return try Self.require(opened, named: name)
            }.run(read: try EventsFile(path: salvaged).reader())
            try log?.close()
            return summary
        } catch { throw AuditError(any: error) }
    }

    private static func newLog(in folder: DataFolder, named name: String?, _ now: Timestamp) throws(EventLogError) -> EventLog {
        var options = EventLog.Options()
        (options.origin, options.leavesNameOpen) = (name, true)
        return try EventLog(
            directory: folder.log, index: folder.index, schema: LoyaltySchema.schema, access: .readWrite, created: now, options: options)
    }

    private static func require(_ log: EventLog, named name: String?) throws -> EventLog {
        guard let name, let own = try log.givenName(), own != name else { return log }
        throw AuditError(
            .input, "the salvaged events are of the log \(name), and the backup is of \(own).",
            remedy: "Take a backup of the log that the events were salvaged from.")
    }

    private static func size(of path: String) -> Int { FileManager.default.number(.size, of: path) ?? 0 }
}

extension Assembly {
    private static func position(of bound: ReplayBound, in chain: BackupChain) throws(AuditError) -> UInt64 {
        let remedy = "Name a position from 1 to \(chain.events), or a time from the first event on, such as 2026-11-21T09:00:00Z."
        switch bound {
        case .head: return chain.events
        case .position(let position):
            guard (1...max(1, chain.events)).contains(position.rawValue), chain.events > 0 else {
                throw AuditError(.input, "the backup restores to \(chain.events), and cannot be cut at \(position).", remedy: remedy)
            }
            return position.rawValue
        case .time:
            var count: UInt64 = 0
            do {
                for link in chain.links where try !Self.isEnd(of: link, bound, &count) { break }
            } catch { throw AuditError(any: error) }
            guard count > 0 else { throw AuditError(.input, "the backup has no event that is so early.", remedy: remedy) }
            return count
        }
    }

    /// Counts the events of one backup up to the bound. Returns whether the bound lies behind the backup's last event.
    private static func isEnd(of link: BackupChain.Link, _ bound: ReplayBound, _ count: inout UInt64) throws -> Bool {
        func isBefore(_ bytes: [UInt8]) throws -> Bool {
            guard let record = Record(bytes.span) else { throw AuditError.damaged("it is no record", at: Position(count + 1)) }
            return !bound.ends(before: record)
        }
        guard link.manifest == nil else {
            var reader = try TransferReader(try EventsFile(path: link.path + "/" + IncrementManifest.eventsName).reader())
            while let batch = try reader.next() {
                for bytes in batch.records {
                    guard try isBefore(bytes) else { return false }
                    count += 1
                }
            }
            return true
        }
        let log = try LogFile(directory: DataFolder(link.path).log)
        defer { log.letGo() }
        guard let events = log.events else { return true }
        var (cursor, bytes) = (FileCursor(events, in: log.file), [UInt8]())
        while try cursor.next() {
            try cursor.value(into: &bytes)
            guard try isBefore(bytes) else { return false }
            count += 1
        }
        return true
    }
}

struct Assembled {
    let imported: Import.Summary?
    /// The last position of the log; nil if the log was not cut.
    let end: UInt64?

    /// Whether every event of the salvaged log is in the restored log.
    var isComplete: Bool {
        guard let imported else { return false }
        return imported.lost.isEmpty && imported.left.isEmpty && (end ?? imported.head) >= imported.head
    }
}

extension Assembly {
    /// Lines for the operator: the part of the backup that was left out, and the salvaged events.
    func lines(after assembled: Assembled) -> [String] {
        var lines: [String] = []
        if let cut { lines.append("cut  events after \(cut) were left out, as asked; the backup still has them") }
        if let end = assembled.end, let reached = assembled.imported?.head ?? cut, end < reached {
            lines.append("cut  \(Salvage.text([end + 1...reached])) belong to a command whose last events are not there, and were left out")
        }
        guard let imported = assembled.imported, let salvaged else { return lines }
        let first = imported.head - imported.events + 1
        let range = imported.events > 0 ? Salvage.text([first...imported.head]) : "none"
        lines.append("salvaged  \(range) came from \(salvaged)")
        if !imported.lost.isEmpty { lines.append("lost  \(Salvage.text(imported.lost)) are in neither the backup nor \(salvaged)") }
        if !imported.left.isEmpty {
            lines.append("left  \(Salvage.text(imported.left)) stay in \(salvaged) alone, to be read there: a log has no gaps")
        }
        return lines
    }
}

/// The last position at which a log may end. A log that ends between two events of one command breaks the rules.
struct WholeCommands {
    /// The last position at which no command is incomplete.
    let last: Position

    /// - Throws: ``AuditError/Code/event`` for an event that does not decode, ``AuditError/Code/log``.
    init(in log: EventLog) throws(AuditError) {
        var (book, last) = (RuleBook(), Position.start)
        do {
            try log.scan { position, record in
                _ = book.apply(try LoyaltyCodec.decode(record, at: position), mark: LoyaltyCodec.mark(of: record))
                if book.end().isEmpty { last = position }
                return true
            }
        } catch { throw AuditError(any: error) }
        self.last = last
    }
}
