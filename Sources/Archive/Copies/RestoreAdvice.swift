internal import Audit
internal import EventLog
internal import Foundation
internal import Loyalty
internal import LoyaltyCodec
internal import Merkle

/// The lines that an operator reads after a restore.
///
/// An erasure after the backup's last position is undone: the account exists again, and older copies of its key can decrypt its data. The
/// service repeats erasures that are in the backup at its next start.
struct RestoreAdvice {
    /// Each line begins with its subject, such as `keys`.
    let lines: [String]

    /// - Parameters:
    ///   - backup: later ones are searched for beside it.
    ///   - losesNothing: whether no event, and so no erasure, is lost.
    init(after backup: String, in target: DataFolder, losesNothing: Bool = false) throws(AuditError) {
        let log = try AuditedFolder(target.path).log(.readOnly, inspecting: .nothing)
        let newest = try log.newestEvent
        var lines: [String] = []
        if !FileManager.default.fileExists(atPath: target.keys + "/data.mdb") {
            lines.append(
                "keys  there are none, and the service does not start without them. The newest are in the folder from before, if it is "
                    + "there: `cp -a DATA.damaged/keys/. \(target.keys)`; else in a copy: `cp -a COPY/. \(target.keys)`")
        }
        if let lacking = KeyMatch(log, of: target).lackingKeys(in: target.keys) {
            lines.append("keys  \(lacking.finding): \(lacking.remedy(target.keys))")
        }
        if !FileManager.default.fileExists(atPath: target.checkpoint) {
            lines.append(
                "checkpoint  there is none: nothing shows whether the log lost its end; the service signs a new one when it starts")
        }
        let time = newest.map { " of \(Instant(microseconds: $0.event.time.microseconds).rfc3339)" } ?? ""
        if !losesNothing {
            lines.append(
                "erasures  the log ends at \(log.head.rawValue)\(time): whoever was erased after that is in it again, and keys that were "
                    + "copied before that erasure open their data. Find them and have them erased again: the runbook, After a restore")
        }
        if let later = Self.later(than: log.head.rawValue, beside: backup, of: VerifierKey(inFile: target.verifierKey)) {
            lines.append(
                "later  \(later.path) goes on to \(later.events): `greentea-audit backups --data \(target.path) --in "
                    + "\(BackupChain.place(of: later.path)) --verify` says whether it is good; "
                    + "then restore it instead, or look for erasures in it")
        }
        if let noted = UpkeepFile.events(target.backupNote), noted > log.head.rawValue {
            lines.append("noted  the last backup that this folder has noted had \(noted) events")
        }
        self.lines = lines
    }

    /// A backup with later events than a log.
    struct Later {
        let path: String
        /// As far as that is known without reading events.
        let events: UInt64
        /// The missing picture, which does not prevent a restore of the events; nil if none is known to be missing.
        let lacking: LinkFault?
    }

    /// The backup beside `backup` that has the most events of the same log; nil if none has events after `head`.
    ///
    /// One without its pictures counts, because a restore goes on without them, but a whole one with as many events is preferred.
    static func later(than head: UInt64, beside backup: String, of key: VerifierKey?) -> Later? {
        let place = BackupChain.place(of: backup)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
        let reader = ChainReader()
        let found = names.sorted().compactMap { name -> Later? in
            let path = place + "/" + name
            // A folder with keys or with the note of a restore is a data folder.
            let isData = [DataFolder(path).keys, DataFolder(path).restoreNote].contains { FileManager.default.fileExists(atPath: $0) }
            guard !isData, !name.hasSuffix(".partial"), let later = later(in: path, reader), later.events > head else { return nil }
            guard let key, VerifierKey(inFile: DataFolder(path).verifierKey) == key else { return nil }
            return later
        }
        let best = found.max { $0.events < $1.events }
        return found.first { $0.events == best?.events && $0.lacking == nil } ?? best
    }

    private static func later(in path: String, _ reader: ChainReader) -> Later? {
        do throws(LinkFault) {
            let chain = try reader.chain(to: path)
            return Later(path: path, events: chain.events, lacking: try reader.requireParts(of: chain, pictures: false))
        } catch { return nil }
    }
}

extension LackingKeys {
    var finding: String {
        let since = registeredSince == 0 ? "" : "; \(registeredSince) have registered since, and have theirs"
        return "\(count) account\(count == 1 ? "" : "s") of the log \(count == 1 ? "has" : "have") no key here (registered after these "
            + "keys were copied, or erased after the backup); whoever of them signs in gets a new account\(since)"
    }

    func remedy(_ keys: String) -> String {
        let command = "mv \(keys) \(keys).older && cp -a COPY/. \(keys)"
        let newer = "if there is a NEWER copy of the keys, never an older one, "
        if registeredSince == 0 { return newer + "put it in their place BEFORE anybody signs in: " + command }
        return newer + "choose: put in their place (\(command)), it gives those accounts their keys back, and whoever registered since "
            + "registers anew. Without a newer copy there is nothing to do"
    }
}

extension FileManager {
    func attribute<Value>(_ key: FileAttributeKey, of path: String) -> Value? { (try? attributesOfItem(atPath: path))?[key] as? Value }

    func number(_ key: FileAttributeKey, of path: String) -> Int? { (attribute(key, of: path) as NSNumber?)?.intValue }
}

extension Checkpoint {
    /// Nil if it cannot be read.
    static func size(inFile path: String) -> UInt64? {
        guard let bytes = FileManager.default.contents(atPath: path), let note = try? SignedNote([UInt8](bytes)) else { return nil }
        return try? Checkpoint(text: note.text.string).size
    }
}

extension EventLog {
    /// Nil if the log is empty.
    var newestEvent: SequencedEvent? {
        get throws(AuditError) { do { return try head > .start ? event(at: head) : nil } catch { throw AuditError(any: error) } }
    }
}
