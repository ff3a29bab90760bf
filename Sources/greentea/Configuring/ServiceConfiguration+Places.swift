import CommandService
import EventLog
import Foundation
import LoyaltyCodec
import TextMessages

extension ServiceConfiguration {
    /// Looks at what the settings name on the disk, as `serve` would find it, and makes or changes nothing.
    ///
    /// - Throws: a `Refusal`, or what the key store or the sender of messages says.
    func checkPlaces() async throws {
        let folder = DataFolder(data)
        try DataPlace(path: folder.path).check()
        try await checkMessages()
        guard let master = try master ?? knownDevelopmentSecret(of: folder) else { return }
        try checkKeys(of: folder, master)
    }

    private func checkMessages() async throws {
        switch messages {
        case nil: break
        case .webhook: try await messages?.sender(secret: messageSecret).close()
        case .file(let path): try checkFile(path)
        }
    }

    private func checkFile(_ path: String) throws(Refusal) {
        let (file, files) = (URL(filePath: path), FileManager.default)
        let (exists, folder) = (files.fileExists(atPath: path), file.deletingLastPathComponent())
        let fault: FileFault? =
            if file.isFolder {
                .isFolder
            } else if !exists, !folder.isFolder {
                FileFault(words: "there is no folder \(folder.path)")
            } else {
                files.isWritableFile(atPath: exists ? path : folder.path) ? nil : .forbidden
            }
        if let fault { throw .badConfiguration("sms", "\(path) cannot be written: \(fault)") }
    }

    private func checkKeys(of folder: DataFolder, _ master: MasterSecret) throws {
        guard FileManager.default.fileExists(atPath: folder.keys) else { return }
        try KeyStore.check(master, in: folder.keys)
    }
}
