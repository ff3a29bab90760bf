internal import Foundation
public import Loyalty
internal import Synchronization

extension ImageStore {
    /// Removes pictures that nothing refers to, with their thumbnails, and what a crash left half written.
    ///
    /// Blocks. Somebody may be about to refer to a picture that nothing refers to yet: they have said so by ``hold(_:at:)``, which made
    /// it young. So a picture's age is looked at once more in the step that removes it, after the question whether it is used.
    ///
    /// - Parameters:
    ///   - time: only what was sent before.
    ///   - isUsed: whether anything refers to a picture, as of now.
    /// - Returns: how many pictures went.
    /// - Throws: what `isUsed` throws, with the rest untouched.
    @discardableResult
    public func sweep(unusedSince time: Instant, isUsed: (ImageID) throws -> Bool) throws -> Int {
        var count = 0
        let limit = Date(timeIntervalSince1970: Double(time.microseconds) / 1_000_000)
        for folder in names(in: blobs) {
            for name in names(in: blobs + "/" + folder) where isOlder(blobs + "/" + folder + "/" + name, than: limit) {
                let path = blobs + "/" + folder + "/" + name
                guard Self.isDigest(name), let id = ImageID(hexadecimal: name.prefix(32)) else {
                    try? FileManager.default.removeItem(atPath: path)
                    continue
                }
                guard try !isUsed(id) else { continue }
                guard remove(path, ifOlderThan: limit) else { continue }
                removeThumbnails(of: name)
                count += 1
            }
        }
        return count
    }

    private func remove(_ path: String, ifOlderThan limit: Date) -> Bool {
        ages.withLock { _ in isOlder(path, than: limit) && (try? FileManager.default.removeItem(atPath: path)) != nil }
    }

    private func names(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    private func isOlder(_ path: String, than limit: Date) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let modified = attributes?[.modificationDate] as? Date else { return false }
        return modified < limit
    }

    private func removeThumbnails(of digest: String) {
        for width in ImageLimits.thumbnailWidths { try? FileManager.default.removeItem(atPath: path(digest, width: width)) }
    }
}

extension ImageID {
    init?(hexadecimal: some StringProtocol) {
        guard let value = UInt128(hexadecimal, radix: 16) else { return nil }
        self.init(value)
    }
}
