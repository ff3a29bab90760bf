public import Audit
internal import EventLog
internal import Foundation
internal import LoyaltyCodec
internal import Merkle

/// A backup of the changes since its parent: new events, pictures that the chain lacks, and a list of all present pictures.
///
/// Keys are not part of a chain, because old backups must be kept and the keys of erased people would survive in them. As in ``Backup``,
/// all keys are copied to a separate folder each time.
public struct Increment {
    /// The result of ``run(begun:)``.
    public enum Outcome: Hashable, Sendable {
        case made(Backup.Summary)
        /// Nothing changed, so at most the keys were copied. The named pictures are damaged or missing, and no backup of the chain has
        /// them.
        case nothingNew(damagedPictures: [String], missingPictures: [String] = [])

        /// The increment; nil if none was made.
        public var summary: Backup.Summary? { if case .made(let summary) = self { summary } else { nil } }
    }

    private let folder: AuditedFolder
    private let parent: String
    private let target: String
    private let keys: String?
    private let deliver: Backup.Delivery?

    public init(of folder: AuditedFolder, onto parent: String, to target: String, keys: String? = nil, deliver: Backup.Delivery? = nil) {
        (self.folder, self.parent, self.target) = (folder, BackupChain.plain(parent), BackupChain.plain(target))
        (self.keys, self.deliver) = (keys, deliver)
    }

    /// - Throws: ``AuditError/Code/missing`` or ``AuditError/Code/damaged`` for a faulty chain; ``AuditError/Code/backwards`` if the parent
    ///   has events that the log has lost; ``AuditError/Code/input`` if the parent is of another log or in another folder; otherwise like
    ///   ``Backup/run(begun:)``.
    public func run(begun: (_ partial: String) -> Void = { _ in }) throws(AuditError) -> Outcome {
        try Backup.requireApart(target, keys)
        guard BackupChain.place(of: parent) == BackupChain.place(of: target), parent != target else {
            throw AuditError(.input, "an increment lies beside its parent \(parent).", remedy: "Name a new folder in the same folder.")
        }
        let chain = try wholeParent()
        let source = DataFolder(folder.path)
        let signed = try Completion.signedFiles(of: source)
        let log = try folder.log(.readOnly, inspecting: .ifQuick)
        defer { try? log.close() }
        try requireBegun(chain, by: log)
        let known = try chain.presentPictures()
        let pictures = PictureFolder(path: source.blobs)
        let present = try pictures.names
        let (new, damaged) = Self.divided(pictures, present.filter { !known.contains($0) })
        // Missing pictures must not prevent the backup of everything else.
        let missing = (try? pictures.missing(shownBy: log, reading: false)) ?? []
        let isOther = Set(try chain.pictures) != Set(present).subtracting(damaged).union(Self.held(missing, known))
        let completion = Completion(source: source, keys: keys, deliver: deliver)
        guard log.head.rawValue > chain.events || !new.isEmpty || isOther else {
            try completion.copyKeys(begun: begun)
            return .nothingNew(damagedPictures: damaged, missingPictures: missing)
        }
        try requireRoom(log, chain, pictures, new)
        return .made(
            try completion.make(target, begun: begun) { copy throws(AuditError) in
                try fill(copy, log, chain, signed, pictures, known, missing)
            })
    }

    private func wholeParent() throws(AuditError) -> BackupChain {
        let reader = ChainReader()
        do throws(LinkFault) {
            let chain = try reader.chain(to: parent)
            try reader.requireParts(of: chain)
            // Events alone could be read and still be others, so bytes are compared: those of the last link, because each link before it
            // was the last one when an increment was made onto it, and a whole chain would cost more each hour.
            try reader.requireFiles(ofEnd: chain)
            return chain
        } catch { throw reader.explained(error, beside: parent) }
    }

    private static func held(_ missing: [String], _ known: Set<String>) -> [String] {
        let digits = Set(missing)
        return digits.isEmpty ? [] : known.filter { digits.contains(String($0.prefix(32))) }
    }

    /// Requires that the log begins with the events of the chain.
    private func requireBegun(_ chain: BackupChain, by log: EventLog) throws(AuditError) {
        guard log.head.rawValue >= chain.events else {
            throw AuditError(
                .backwards, "\(parent) has \(chain.events) events, and the log \(log.head): it has lost some.",
                remedy: "Keep that backup. See `greentea-audit backups`, and the runbook under rolledBack.")
        }
        guard try Self.root(of: log, chain.events).hex == chain.end.root else {
            throw AuditError(.input, "\(parent) is of another log.", remedy: "Make a full backup.")
        }
    }

    /// Assumes that new events have the same average size as earlier ones.
    private func requireRoom(_ log: EventLog, _ chain: BackupChain, _ pictures: PictureFolder, _ new: [String]) throws(AuditError) {
        let events = Int(log.head.rawValue - chain.events)
        let bytes = log.mapUsage.usedBytes / max(1, Int(log.head.rawValue)) * events
        try CopiedFolder.requireRoom(bytes + pictures.byteCount(of: new) + Backup.roomBytes, at: target)
    }

    private func fill(
        _ copy: CopiedFolder, _ log: EventLog, _ chain: BackupChain, _ signed: [(path: String, bytes: Data)], _ pictures: PictureFolder,
        _ known: Set<String>, _ missing: [String]
    ) throws(AuditError) -> Backup.Summary {
        let after = (position: chain.events, root: try Self.root(of: log, chain.events))
        let export = try write(log, after: after.position, to: copy)
        var files = [IncrementManifest.eventsName: try Self.digest(of: IncrementManifest.eventsName, in: copy)]
        for (path, bytes) in signed {
            let name = (path as NSString).lastPathComponent
            try copy.write([UInt8](bytes), as: name)
            files[name] = try Self.digest(of: name, in: copy)
        }
        let present = try pictures.names
        let copied = try pictures.copy(present.filter { !known.contains($0) }, to: PictureFolder(path: copy.partial + "/blobs"))
        // The list omits pictures that no backup contains: damaged ones, and those removed during the copying.
        let held = known.union(copied.names)
        let manifest = IncrementManifest(
            parent: BackupChain.name(parent), after: after, through: (export.head, export.root),
            newest: try Self.time(of: log, export.head), files: files, pictures: copied.names,
            allPictures: Set(present.filter(held.contains)).union(Self.held(missing, known)).sorted())
        try copy.write(try manifest.bytes(), as: IncrementManifest.fileName)
        try readBack(manifest, copy, log)
        return Backup.Summary(
            events: export.head, root: export.root, bytes: manifest.byteCount, hasKeys: keys != nil,
            pictures: copied.count, damagedPictures: copied.damaged, missingPictures: missing, parent: parent, after: after.position)
    }

    /// A damaged picture cannot be copied, so it alone is no reason for an increment.
    private static func divided(_ pictures: PictureFolder, _ names: [String]) -> (whole: [String], damaged: [String]) {
        var (whole, damaged): ([String], [String]) = ([], [])
        for name in names {
            if pictures.isWhole(name) { whole.append(name) } else { damaged.append(name) }
        }
        return (whole, damaged)
    }

    private func write(_ log: EventLog, after: UInt64, to copy: CopiedFolder) throws(AuditError) -> Export.Summary {
        let file = try OutputFile(copy.partial + "/" + IncrementManifest.eventsName)
        let summary = try Export(of: log, format: .binary) { bytes in try file.write(bytes) }.run(after: Position(after))
        try file.complete()
        try copy.restrict(IncrementManifest.eventsName)
        return summary
    }

    private func readBack(_ manifest: IncrementManifest, _ copy: CopiedFolder, _ log: EventLog) throws(AuditError) {
        let link = BackupChain.Link(path: copy.partial, through: manifest.through, root: manifest.root, manifest: manifest)
        do {
            var edge = try TreeEdge(at: manifest.after, of: log.tree)
            try BackupChain.requireWhole(link, onto: &edge)
        } catch let fault as LinkFault {
            throw AuditError(.output, "what was written is not what was read: \(fault.text).", remedy: "Look at the disk of \(target).")
        } catch { throw AuditError(any: error) }
    }

    private static func digest(of name: String, in copy: CopiedFolder) throws(AuditError) -> IncrementManifest.File {
        let path = copy.partial + "/" + name
        guard let file = IncrementManifest.File(at: path) else {
            throw AuditError(.output, "\(path) cannot be read back.", remedy: "Look at its disk and permissions.")
        }
        return file
    }

    private static func root(of log: EventLog, _ position: UInt64) throws(AuditError) -> NodeHash {
        do { return try log.root(through: Position(position)) } catch { throw AuditError(any: error) }
    }

    private static func time(of log: EventLog, _ position: UInt64) throws(AuditError) -> Int64? {
        guard position > 0 else { return nil }
        do { return try log.event(at: Position(position))?.event.time.microseconds } catch { throw AuditError(any: error) }
    }
}
