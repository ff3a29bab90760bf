public import Audit
internal import EventLog
internal import Foundation
internal import LoyaltyCodec

/// Restores from a full backup or from a chain that ends with an increment.
///
/// It first verifies a chain link by link and assembles it beside the data folder into the equivalent full backup. ``Restore`` then
/// verifies that backup against its signed checkpoint, applies all of its conditions, and puts the backup in place.
public struct ChainRestore {
    private let from: String
    private let target: DataFolder
    private let keys: String?
    private let options: Verification.Options

    /// - Parameter from: a full backup or an increment; the other parameters are those of ``Restore``.
    public init(from: String, to target: String, keys: String? = nil, options: Verification.Options) {
        (self.from, self.target, self.keys, self.options) = (from, DataFolder(target), keys, options)
    }

    /// The path of the assembled backup. It is removed on return, or by the next attempt after a kill.
    public static func scratch(for target: String) -> String { PartialName.of(Self.assembled(DataFolder(target))) }

    private static func assembled(_ target: DataFolder) -> String { target.path + ".assembled" }

    /// Restores the backup or the chain.
    ///
    /// - Throws: like ``Restore/run(progress:)`` and ``BackupChain/init(to:)``; then nothing was changed.
    public func run(progress: @escaping @Sendable (UInt64) -> Void = { _ in }) throws(AuditError) -> VerifyReport {
        guard IncrementManifest.isThere(in: from) else { return try restore(AuditedFolder(from), progress) }
        let chain = try BackupChain(to: from)
        try chain.verify()
        try requireRoom(chain)
        let copy = try CopiedFolder(Self.assembled(target), for: .owner)
        defer { copy.abandon() }
        try Self.assemble(chain, in: copy)
        return try restore(AuditedFolder(copy.partial), progress)
    }

    private func restore(
        _ copy: AuditedFolder, _ progress: @escaping @Sendable (UInt64) -> Void
    ) throws(AuditError) -> VerifyReport {
        try Restore(from: copy, to: target.path, keys: keys, options: options).run(progress: progress)
    }

    /// Requires free space for the assembled chain and for its copy in place. Stored events take less than twice their bytes.
    private func requireRoom(_ chain: BackupChain) throws(AuditError) {
        var bytes = 0
        for link in chain.links {
            let size = try? FileManager.default.attributesOfItem(atPath: link.path + "/log/data.mdb")[.size] as? NSNumber
            bytes += (size?.intValue ?? 0) + link.pictures.byteCount
            bytes += 2 * (link.manifest?.files.values.reduce(0) { $0 + $1.bytes } ?? 0)
        }
        try CopiedFolder.requireRoom(2 * bytes + Backup.roomBytes, at: target.log)
    }

    private static func assemble(_ chain: BackupChain, in copy: CopiedFolder) throws(AuditError) {
        let pictures = PictureFolder(path: copy.partial + "/blobs")
        try copy.copy(environment: DataFolder(chain.links[0].path).log, as: "log")
        try append(chain, to: AuditedFolder(copy.partial))
        // A picture that was taken down later is still in an earlier link, but must not be restored.
        let names = chain.pictures
        for link in chain.links { _ = try link.pictures.copy(names, to: pictures) }
        for name in ["checkpoint", "checkpoint.vkey"] {
            let files = chain.links.map { $0.path + "/" + name }
            guard let bytes = files.reversed().lazy.compactMap({ FileManager.default.contents(atPath: $0) }).first else { continue }
            try copy.write([UInt8](bytes), as: name)
        }
    }

    private static func append(_ chain: BackupChain, to folder: AuditedFolder) throws(AuditError) {
        do {
            let log = try folder.log(.readWrite)
            defer { try? log.close() }
            for link in chain.links.dropFirst() {
                try EventsFile(path: link.path + "/" + IncrementManifest.eventsName).append(to: log)
            }
        } catch { throw AuditError(any: error) }
        // The index that was built during assembly is not restored, because the restored folder builds its own.
        try? FileManager.default.removeItem(atPath: DataFolder(folder.path).derived)
    }
}
