internal import Foundation
internal import LMDB
public import Loyalty
internal import Synchronization

extension ImageStore {
    /// Removes pictures that nothing refers to, with their thumbnails, and what a crash left half written or half removed.
    ///
    /// Blocks. Somebody may be about to refer to a picture that nothing refers to yet: they have said so by ``hold(_:by:at:)``, which made
    /// it young. So a picture's age is looked at once more in the step that removes it, after the question whether it is used.
    ///
    /// - Parameters:
    ///   - time: only what was sent before, or was taken down.
    ///   - use: what refers to a picture, as of now.
    /// - Returns: how many pictures went.
    /// - Throws: what `use` throws, with the rest untouched; ``ImageError/failed(_:)`` where a file cannot be removed, after the rest.
    @discardableResult
    public func sweep(unusedSince time: Instant, use: (ImageName) throws -> ImageUse) throws -> Int {
        var (count, failure) = (0, ImageError?.none)
        let limit = Self.date(time)
        for folder in names(in: blobs) {
            for name in names(in: blobs + "/" + folder) {
                if let image = ImageName(name) {
                    do {
                        if try remove(image, ifOlderThan: limit, use) { count += 1 }
                    } catch let error as ImageError {
                        failure = failure ?? error
                    }
                } else if isOlder(blobs + "/" + folder + "/" + name, than: limit) {
                    try? FileManager.default.removeItem(atPath: blobs + "/" + folder + "/" + name)
                }
            }
        }
        for name in names(in: thumbnails) where !hasPicture(thumbnail: name) {
            try? FileManager.default.removeItem(atPath: thumbnails + "/" + name)
        }
        if let failure { throw failure }
        return count
    }

    /// Removes those of some pictures at once that were let go by ``release(_:)`` and that nothing refers to, and those taken down.
    ///
    /// Blocks.
    ///
    /// - Throws: what `use` throws; ``ImageError/failed(_:)`` where a file cannot be removed.
    public func removeReleased(_ images: some Sequence<ImageID>, use: (ImageName) throws -> ImageUse) throws {
        for id in images {
            guard let name = name(of: id) else { continue }
            try remove(name, ifOlderThan: Self.date(Self.released.advanced(bySeconds: 1)), use)
        }
    }

    /// Removes one picture, unless it is used, or unused and young.
    ///
    /// - Throws: what `use` throws; ``ImageError/failed(_:)`` where the file cannot be removed.
    @discardableResult
    private func remove(_ name: ImageName, ifOlderThan limit: Date, _ use: (ImageName) throws -> ImageUse) throws -> Bool {
        let path = path(name)
        let use = try use(name)
        guard use == .takenDown || use == .unused && isOlder(path, than: limit) else { return false }
        do {
            let isRemoved = try ages.withLock { _ in
                guard use == .takenDown || isOlder(path, than: limit) else { return false }
                try FileManager.default.removeItem(atPath: path)
                return true
            }
            guard isRemoved else { return false }
            removeThumbnails(of: name)
            // Whoever hears that a picture is gone must not find it again after a power cut.
            try DurableNames.flush(folder(name))
            return true
        } catch {
            throw ImageError.failed("\(path) cannot be removed: \(error)")
        }
    }

    private func hasPicture(thumbnail: String) -> Bool {
        let name = thumbnail.split(separator: "-").first.flatMap { ImageName(String($0)) }
        return name.map { FileManager.default.fileExists(atPath: path($0)) } ?? false
    }

    private static func date(_ time: Instant) -> Date { Date(timeIntervalSince1970: Double(time.microseconds) / 1_000_000) }

    private func names(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    private func isOlder(_ path: String, than limit: Date) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let modified = attributes?[.modificationDate] as? Date else { return false }
        return modified < limit
    }

    func removeThumbnails(of name: ImageName) {
        for width in ImageLimits.thumbnailWidths { try? FileManager.default.removeItem(atPath: path(name, width: width)) }
    }
}
