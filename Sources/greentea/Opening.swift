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
///   - maps: the maximum sizes of the storage's files, which are mapped into memory.
///   - tracer: makes spans of the stages of commands; nil if requests are not traced.
/// - Throws: a named error of the storage, of the key store, or a `Refusal`.
func openService(
    data path: String, master: MasterSecret? = nil, operators: Set<E164Number> = [], proving: ProvingOptions = .init(),
    metrics: any MetricsFactory = NOOPMetricsHandler.instance, maps: MapLimits = .init(), tracer: (any Tracer)? = nil
) throws -> GreenTea {
    let folder = DataFolder(path)
    try DataPlace(path: folder.path).make()
    // The folder's keys are checked before the development secret is created, so that a refused start creates no file.
    if !proving.acceptsLostKeys { try KeyStore.requireKeys(of: folder) }
    do {
        return try GreenTea(
            data: folder, master: try master ?? developmentSecret(of: folder), makesRootSecret: master != nil, operators: operators,
            proving: proving, metrics: metrics, maps: maps, tracer: tracer)
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

/// The master secret of a development folder: 64 hexadecimal digits in a file that only its owner may read.
private func developmentSecret(of folder: DataFolder) throws -> MasterSecret {
    try knownDevelopmentSecret(of: folder) ?? makeDevelopmentSecret(at: folder.developmentSecret)
}

/// The secret of a development folder; nil for a new folder.
///
/// - Throws: `Refusal.unreadableSecret`, `Refusal.noDevelopmentSecret`.
func knownDevelopmentSecret(of folder: DataFolder) throws -> MasterSecret? {
    let path = folder.developmentSecret
    if FileManager.default.fileExists(atPath: path) { return try MasterKeyText.secret(inFile: path) }
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

    /// Checks whether the folder can be used, without creating any file in it.
    ///
    /// - Throws: `Refusal.unusableFolder`.
    func check() throws(Refusal) {
        let files = FileManager.default
        var place = URL(filePath: path).resolvingSymlinksInPath()
        while !files.fileExists(atPath: place.path), place.path != "/" { place = place.deletingLastPathComponent() }
        guard place.isFolder else { throw refusal("\(place.path): \(FileFault.isNoFolder)") }
        guard files.isWritableFile(atPath: place.path) else { throw refusal("\(place.path): \(Self.fault(writing: place.path))") }
    }

    /// The reason why no file can be written in a folder. It is found by trying, because only that distinguishes a read-only disk from a
    /// folder of another user.
    private static func fault(writing folder: String) -> FileFault {
        let probe = "\(folder)/.greentea-\(ProcessInfo.processInfo.processIdentifier)"
        do { try FileManager.default.createDirectory(atPath: probe, withIntermediateDirectories: false) } catch { return FileFault(error) }
        try? FileManager.default.removeItem(atPath: probe)
        return .forbidden
    }

    /// Creates the folder if it does not exist, with access for its owner only.
    ///
    /// - Throws: `Refusal.unusableFolder`.
    func make() throws(Refusal) {
        try check()
        do {
            try DataFolder(path).make()
        } catch {
            throw refusal("\(FileFault(error))")
        }
    }

    private func refusal(_ reason: String) -> Refusal { .unusableFolder(path: path, reason: reason) }
}

extension URL {
    /// Whether a folder exists at the path, possibly through a symbolic link.
    var isFolder: Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: resolvingSymlinksInPath().path)
        return attributes?[.type] as? FileAttributeType == .typeDirectory
    }
}
