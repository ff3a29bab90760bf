import ArgumentParser
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
///   - master: the operator's master key; nil for the development secret, which is created if the folder has none. A folder that is created
///     with an operator's master key gets a root secret, so that the master key can be replaced completely.
///   - operators: the phone numbers of the operators' accounts.
///   - proving: the log's name, and the options for its checkpoints.
///   - own: the names of the files that the settings name. They may be in the folder before the first start.
///   - settings: the settings of the start, which can accept a development secret that others can read; nil for commands without them.
///   - metrics: the factory for the service's measurements.
///   - maps: the maximum sizes of the storage's files, which are mapped into memory.
///   - tracer: makes spans of the stages of commands; nil if requests are not traced.
/// - Throws: a named error of the storage, of the key store, or a `Refusal`.
func openService(
    data path: String, master: MasterSecret? = nil, operators: Set<E164Number> = [], proving: ProvingOptions = .init(),
    beside own: Set<String> = [], settings: SettingsInForce? = nil,
    metrics: any MetricsFactory = NOOPMetricsHandler.instance, maps: MapLimits = .init(), tracer: (any Tracer)? = nil
) throws -> GreenTea {
    let folder = DataFolder(path)
    try DataPlace(path: folder.path, own: own).make()
    // The folder's keys are checked before the development secret is created, so that a refused start creates no file.
    if !proving.acceptsLostKeys { try KeyStore.requireKeys(of: folder) }
    if !proving.acceptsDamagedLog { try ServerInspection.beforeStart(of: folder) }
    do {
        return try GreenTea(
            data: folder, master: try master ?? developmentSecret(of: folder, settings), makesRootSecret: master != nil,
            operators: operators, proving: proving, metrics: metrics, maps: maps, tracer: tracer)
    } catch KeyStoreError.wrongMasterSecret where master == nil {
        let reason = "wrong master key: it does not open the keys in \(folder.keys)"
        throw Refusal.unreadableSecret(path: folder.developmentSecret, reason: reason)
    }
}

/// Closes the service. Asynchronous code calls this function, because it must not call the blocking `service.close()` directly. Closing
/// waits until threads have ended, which takes only a moment.
func close(_ service: GreenTea) throws {
    try service.close()
}

/// Stops the auditor. Asynchronous code calls this function, because it must not call the blocking `auditor.stop()` directly. Blocks until
/// the auditor has finished its present range of the log.
func stop(_ auditor: ShadowAuditor) {
    auditor.stop()
}

/// The master secret of a development folder, from a file that only its owner may read. Creates the file for a new folder.
private func developmentSecret(of folder: DataFolder, _ settings: SettingsInForce?) throws -> MasterSecret {
    try knownDevelopmentSecret(of: folder, settings) ?? makeDevelopmentSecret(at: folder.developmentSecret)
}

/// The development secret that the folder has; nil for a new folder, which has none yet.
///
/// - Throws: `Refusal.unreadableSecret`, `Refusal.noDevelopmentSecret`, and `Refusal.exposed` if others can read the secret's file and the
///   settings, if there are any, do not accept that.
func knownDevelopmentSecret(of folder: DataFolder, _ settings: SettingsInForce?) throws -> MasterSecret? {
    let path = folder.developmentSecret
    if FileManager.default.fileExists(atPath: path) { return try MasterKeyText.secret(inFile: path, settings) }
    guard !FileManager.default.fileExists(atPath: folder.keys) else {
        throw Refusal.noDevelopmentSecret(path: path)
    }
    return nil
}

private func makeDevelopmentSecret(at path: String) throws -> MasterSecret {
    let text = MasterKeyText.make()
    guard FileManager.default.createFile(atPath: path, contents: Data((text + "\n").utf8), attributes: [.posixPermissions: 0o600]) else {
        throw Refusal.unreadableSecret(path: path, reason: "it cannot be written")
    }
    return try MasterSecret(text: text)
}

/// The path of a data folder, which may not exist yet.
struct DataPlace {
    let path: String
    /// The names of the files that the settings name. A new log may be begun in a folder that has these files.
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

    /// Whether a start would begin a new log here, because the folder has none or does not exist.
    var beginsLog: Bool { !Self.hasLog(path) }

    /// Refuses a path that was probably mistyped, because the folder has no log, and lies inside a data folder or backup or holds something
    /// else. A start would begin a new, empty shop there, and would report that the service is ready.
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

    private static func hasLog(_ folder: String) -> Bool {
        FileManager.default.fileExists(atPath: DataFolder(folder).log + "/data.mdb")
    }

    /// Names by which a folder is known as a data folder, even if its log was moved away.
    private static let ownNames: Set = ["log", "checkpoint", "checkpoint.vkey", "derived"]
    /// Further names that may be in a folder in which a log is begun. They are the names of keys, pictures and backups that were put there
    /// first, of other files of the service, of a mark for the installed package, and of the files of a mount point.
    private static let otherNames: Set = [
        "keys", "blobs", "idle-requests", "running-settings", "lost+found", "aquota.user", "aquota.group", "backups", "delete-on-purge",
    ]
    private static let beginnings = [".", "keys.", "log.", "last-"]
    /// The endings of keys, certificates and settings, which may lie in a new data folder.
    private static let endings: Set = ["key", "pem", "crt", "yaml", "yml", "json", "env", "conf"]

    private func isStrange(_ name: String) -> Bool {
        let isKnown = Self.otherNames.contains(name) || own.contains(name) || Self.beginnings.contains { name.hasPrefix($0) }
        return !isKnown && !Self.endings.contains((name as NSString).pathExtension)
    }

    /// The reason why no file can be written in a folder. The function tries to create a folder in it, because only the error of this
    /// attempt distinguishes a read-only disk from a folder of another user.
    private static func fault(writing folder: String) -> FileFault {
        let probe = "\(folder)/.greentea-\(ProcessInfo.processInfo.processIdentifier)"
        do { try FileManager.default.createDirectory(atPath: probe, withIntermediateDirectories: false) } catch { return FileFault(error) }
        try? FileManager.default.removeItem(atPath: probe)
        return .forbidden
    }

    /// Creates the folder if it does not exist, with access for its owner only.
    ///
    /// - Throws: as ``check()``.
    func make() throws(Refusal) {
        try check()
        do {
            try DataFolder(path).make()
        } catch {
            throw refusal(FileFault(error))
        }
    }

    /// The refusal for a fault of the folder, or of the existing folder above it. Another folder helps only if the fault is this folder's.
    private func refusal(_ fault: FileFault, at place: String? = nil) -> Refusal {
        let isOfFolder = fault == .forbidden || fault == .isNoFolder
        return .unusableFolder(
            path: path, reason: (place.map { $0 + ": " } ?? "") + fault.description,
            remedy: isOfFolder ? "Name a folder of this user's with --data, or one that can be made." : fault.remedy)
    }
}

extension URL {
    /// Whether a folder exists at the path, possibly through a symbolic link.
    var isFolder: Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: resolvingSymlinksInPath().path)
        return attributes?[.type] as? FileAttributeType == .typeDirectory
    }
}
