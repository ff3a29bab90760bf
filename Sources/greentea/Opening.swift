import Audit
import CommandService
import Composition
import CoreMetrics
import EventLog
import Foundation
import LoyaltyCodec
import Tracing

/// Opens the service on a data folder.
///
/// - Parameters:
///   - master: the operator's key; nil for the development secret, created if missing. A folder created with an operator's key gets a root
///     secret, so that the key can be replaced completely.
///   - proving: the log's name, and the options for its checkpoints.
///   - own: files that the settings name, which may be in the folder before the first start.
///   - settings: can accept a development secret that others can read; nil for commands without settings.
///   - maps: the maximum sizes of the storage's files, which are mapped into memory.
///   - leader: the server whose log this one copies; nil for a writer.
///   - cluster: connects a node with its cluster; nil for a server by itself.
/// - Throws: a named error of the storage, of the key store, or a `Refusal`.
func openService(
    data path: String, master: MasterSecret? = nil, operators: Set<E164Number> = [], proving: ProvingOptions = .init(),
    beside own: Set<String> = [], settings: SettingsInForce? = nil,
    metrics: any MetricsFactory = NOOPMetricsHandler.instance, maps: MapLimits = .init(), tracer: (any Tracer)? = nil,
    leader: LeaderMaker? = nil, cluster: ClusterMaker? = nil
) throws -> GreenTea {
    let folder = DataFolder(path), place = DataPlace(path: folder.path)
    if leader != nil, !place.isCopy { throw Refusal.nothingToFollowWith(path) }
    if cluster != nil, !place.isCopy { throw ClusterRefusal.noCopy(path) }
    if leader == nil, cluster == nil { try KnownNodes.requireNone(in: folder) }
    try DataPlace(path: folder.path, own: own).make()
    // Checked before the development secret is created, so that a refused start creates no file.
    if !proving.acceptsLostKeys { try KeyStore.requireKeys(of: folder) }
    if !proving.acceptsDamagedLog { try ServerInspection.beforeStart(of: folder) }
    do {
        return try GreenTea(
            data: folder, master: try master ?? developmentSecret(of: folder, settings), makesRootSecret: master != nil,
            operators: operators, proving: proving, metrics: metrics, maps: maps, tracer: tracer, leader: leader,
            cluster: cluster)
    } catch KeyStoreError.wrongMasterSecret where master == nil {
        let reason = "wrong master key: it does not open the keys in \(folder.keys)"
        throw Refusal.unreadableSecret(path: folder.developmentSecret, reason: reason)
    }
}

/// Closes the service for asynchronous callers, which must not call the blocking `service.close()`. It waits a moment for threads.
func close(_ service: GreenTea) throws {
    try service.close()
}

/// Stops the auditor for asynchronous callers. Blocks until it has finished its present range of the log.
func stop(_ auditor: ShadowAuditor) {
    auditor.stop()
}

/// The development folder's master secret, created for a new folder and readable only by its owner.
private func developmentSecret(of folder: DataFolder, _ settings: SettingsInForce?) throws -> MasterSecret {
    try knownDevelopmentSecret(of: folder, settings) ?? makeDevelopmentSecret(at: folder.developmentSecret)
}

/// Nil for a new folder.
///
/// - Throws: `Refusal.unreadableSecret`, `Refusal.noDevelopmentSecret`, and `Refusal.exposed` if others can read the file and the settings
///   do not accept that.
func knownDevelopmentSecret(of folder: DataFolder, _ settings: SettingsInForce?) throws -> MasterSecret? {
    let path = folder.developmentSecret
    if FileManager.default.fileExists(atPath: path) { return try MasterKeyText.secret(inFile: path, settings) }
    guard !FileManager.default.fileExists(atPath: folder.keys) else { throw Refusal.noDevelopmentSecret(path: path) }
    return nil
}

private func makeDevelopmentSecret(at path: String) throws -> MasterSecret {
    let text = MasterKeyText.make()
    guard FileManager.default.createFile(atPath: path, contents: Data((text + "\n").utf8), attributes: [.posixPermissions: 0o600]) else {
        throw Refusal.unreadableSecret(path: path, reason: "it cannot be written")
    }
    return try MasterSecret(text: text)
}

/// A data folder's path; the folder may not exist yet.
struct DataPlace {
    let path: String
    /// Files that the settings name. A log may begin beside them.
    var own: Set<String> = []

    /// Checks whether the folder can be used. Leaves no file in it.
    ///
    /// - Throws: `Refusal.unusableFolder`, `Refusal.noDataFolder`.
    func check() throws(Refusal) {
        let files = FileManager.default
        var place = URL(filePath: path).resolvingSymlinksInPath()
        while !files.fileExists(atPath: place.path), place.path != "/" { place = place.deletingLastPathComponent() }
        guard place.isFolder else { throw refusal(.isNoFolder, at: place.path) }
        guard files.isWritableFile(atPath: place.path) else { throw refusal(Self.fault(writing: place.path), at: place.path) }
        try checkNames()
    }

    /// Whether it has a log and its keys.
    var isCopy: Bool { !beginsLog && KeyStore.exists(in: DataFolder(path).keys) }

    var beginsLog: Bool { !Self.hasLog(path) }

    /// Refuses a probably mistyped path: without a log, and inside a data folder or backup, or with something else in it. A start would
    /// begin a new, empty shop there, and report that it is ready.
    private func checkNames() throws(Refusal) {
        let place = AuditedFolder.resolved(path)
        guard !Self.hasLog(place) else { return }
        var above = (place as NSString).deletingLastPathComponent
        while above.count > 1 {
            guard !Self.hasLog(above) else { throw .noDataFolder(path, "it lies inside the data folder or backup \(above)") }
            above = (above as NSString).deletingLastPathComponent
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
        guard names.allSatisfy({ !Self.ownNames.contains($0) }) else { return }
        let strange = names.filter(isStrange).sorted()
        guard let first = strange.first else { return }
        let rest = strange.count == 1 ? "" : " and \(strange.count - 1) more"
        throw .noDataFolder(path, "there is no log in it, but \(first)\(rest)")
    }

    private static func hasLog(_ folder: String) -> Bool { FileManager.default.fileExists(atPath: DataFolder(folder).log + "/data.mdb") }

    /// Names that identify a data folder, even if its log was moved away.
    private static let ownNames: Set = ["log", "checkpoint", "checkpoint.vkey", "derived"]
    /// Other names beside which a log may begin: keys, pictures and backups put there first, further files of the service, and those of a
    /// package or mount point.
    private static let otherNames: Set = [
        "keys", "blobs", "idle-requests", "running-settings", "cluster-nodes", "lost+found", "aquota.user", "aquota.group", "backups",
        "delete-on-purge",
    ]
    private static let beginnings = [".", "keys.", "log.", "last-"]
    /// Endings of keys, certificates and settings, which may lie in a new folder.
    private static let endings: Set = ["key", "pem", "crt", "yaml", "yml", "json", "env", "conf"]

    private func isStrange(_ name: String) -> Bool {
        let isKnown = Self.otherNames.contains(name) || own.contains(name) || Self.beginnings.contains { name.hasPrefix($0) }
        return !isKnown && !Self.endings.contains((name as NSString).pathExtension)
    }

    /// The reason why no file can be written. Tries to create a folder, because only this error tells a read-only disk from another user's
    /// folder.
    private static func fault(writing folder: String) -> FileFault {
        let probe = "\(folder)/.greentea-\(ProcessInfo.processInfo.processIdentifier)"
        do { try FileManager.default.createDirectory(atPath: probe, withIntermediateDirectories: false) } catch { return FileFault(error) }
        try? FileManager.default.removeItem(atPath: probe)
        return .forbidden
    }

    /// Creates a missing folder, with access for its owner only.
    ///
    /// - Throws: as ``check()``.
    func make() throws(Refusal) {
        try check()
        do {
            try DataFolder(path).make()
        } catch { throw refusal(FileFault(error)) }
    }

    /// Another folder helps only if the fault is this folder's.
    private func refusal(_ fault: FileFault, at place: String? = nil) -> Refusal {
        let isOfFolder = fault == .forbidden || fault == .isNoFolder
        return .unusableFolder(
            path: path, reason: (place.map { $0 + ": " } ?? "") + fault.description,
            remedy: isOfFolder ? "Name a folder of this user's with --data, or one that can be made." : fault.remedy)
    }
}

extension URL {
    /// Also through a symbolic link.
    var isFolder: Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: resolvingSymlinksInPath().path)
        return attributes?[.type] as? FileAttributeType == .typeDirectory
    }
}
