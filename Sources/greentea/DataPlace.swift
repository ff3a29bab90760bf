import CommandService
import EventLog
import Foundation
import LoyaltyCodec

/// Where a data folder is, or is to be made.
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
        guard files.isWritableFile(atPath: place.path) else { throw refusal("\(place.path): \(FileFault.forbidden)") }
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
