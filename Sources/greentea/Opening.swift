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
///   - master: nil for the development secret, which is made where the folder has none. A folder that is made with a master key of
///     the operator's own gets a root secret, so that the key can be changed for good.
///   - operators: phones of the accounts that may do what operators may.
///   - proving: the log's name, and what to do about its checkpoint.
///   - maps: the largest sizes that files may grow to.
///   - tracer: makes spans of the stages of commands; nil where nothing is traced.
/// - Throws: a named error of the storage, of the key store, or a `Refusal`.
func openService(
    data path: String, master: MasterSecret? = nil, operators: Set<E164Number> = [], proving: ProvingOptions = .init(),
    metrics: any MetricsFactory = NOOPMetricsHandler.instance, maps: MapLimits = .init(), tracer: (any Tracer)? = nil
) throws -> GreenTea {
    let folder = DataFolder(path)
    try DataPlace(path: folder.path).make()
    // Before the development secret is made: a refused start leaves nothing behind.
    if !proving.acceptsLostKeys { try KeyStore.requireKeys(of: folder) }
    return try GreenTea(
        data: folder, master: try master ?? developmentSecret(of: folder), makesRootSecret: master != nil, operators: operators,
        proving: proving, metrics: metrics, maps: maps, tracer: tracer)
}

/// Closes from a task: closing waits for threads, which is a moment here and nowhere else.
func close(_ service: GreenTea) throws {
    try service.close()
}

/// Stops the auditor from a task: it ends after the stretch of the log that it is at.
func stop(_ auditor: ShadowAuditor) {
    auditor.stop()
}

/// The master secret of a development folder: 64 hexadecimal digits in a file that only its owner may read.
private func developmentSecret(of folder: DataFolder) throws -> MasterSecret {
    try knownDevelopmentSecret(of: folder) ?? makeDevelopmentSecret(at: folder.developmentSecret)
}

/// The secret that a development folder has; nil for a new one.
///
/// - Throws: `Refusal.unreadableSecret`.
func knownDevelopmentSecret(of folder: DataFolder) throws -> MasterSecret? {
    let path = folder.developmentSecret
    if FileManager.default.fileExists(atPath: path) { return try MasterKeyText.secret(inFile: path) }
    guard !FileManager.default.fileExists(atPath: folder.keys) else {
        throw Refusal.unreadableSecret(path: path, reason: "it is missing, while the folder holds keys made with it")
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

/// The place of a data folder that exists or is to be made.
struct DataPlace {
    let path: String

    /// Looks whether it can be used, and makes nothing.
    ///
    /// - Throws: `Refusal.unusableFolder`.
    func check() throws(Refusal) {
        let files = FileManager.default
        var place = URL(filePath: path).resolvingSymlinksInPath()
        while !files.fileExists(atPath: place.path), place.path != "/" { place = place.deletingLastPathComponent() }
        guard place.isFolder else { throw refusal("\(place.path): \(FileFault.isNoFolder)") }
        guard files.isWritableFile(atPath: place.path) else { throw refusal("\(place.path): \(Self.fault(writing: place.path))") }
    }

    /// Why nothing can be written in a folder. Only an attempt tells a disk that is mounted read-only from another user's folder.
    private static func fault(writing folder: String) -> FileFault {
        let probe = "\(folder)/.greentea-\(ProcessInfo.processInfo.processIdentifier)"
        do { try FileManager.default.createDirectory(atPath: probe, withIntermediateDirectories: false) } catch { return FileFault(error) }
        try? FileManager.default.removeItem(atPath: probe)
        return .forbidden
    }

    /// Makes it where there is none, for its owner only.
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
    /// Whether a folder lies there, be it behind a link.
    var isFolder: Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: resolvingSymlinksInPath().path)
        return attributes?[.type] as? FileAttributeType == .typeDirectory
    }
}
