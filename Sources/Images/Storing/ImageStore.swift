internal import Crypto
internal import Foundation
internal import LMDB
public import Loyalty
internal import Synchronization

/// The pictures of a data folder: `blobs/ab/abcd…`, each named by the SHA-256 of its own bytes, in hexadecimal.
///
/// A picture's id is the first half of that digest, so the same picture is kept once, and its bytes never change. Pictures are read,
/// decoded and encoded by child processes (``PictureChild``), a few at a time; this process never looks into a file beyond its first
/// bytes. A file is complete and on the disk before anybody learns its id.
public final class ImageStore: Sendable {
    let blobs: String
    let thumbnails: String
    /// Asks children, and writes.
    let pool: PicturePool
    /// Held while a picture's time is looked at and acted upon, so that none is removed that was just named.
    ///
    /// It guards who said lately that they are about to refer to a picture, and when.
    let ages = Mutex<[ImageID: [AccountID: Instant]]>([:])

    /// - Parameters:
    ///   - blobs: the folder of pictures; made when the first one comes.
    ///   - thumbnails: the folder of what can be made from them again.
    ///   - program: what decodes pictures.
    public init(blobs: String, thumbnails: String, program: PictureProgram = .own) {
        (self.blobs, self.thumbnails) = (blobs, thumbnails)
        pool = PicturePool(program, processors: ProcessInfo.processInfo.activeProcessorCount)
    }

    /// How much work pictures make.
    public var activity: PictureActivity { pool.activity }

    /// Refuses pictures from now on, and waits until no child is left. Blocks, for as long as one child may take.
    public func close() { pool.close() }

    /// Takes in a picture.
    ///
    /// - Parameters:
    ///   - bytes: a JPEG, PNG or WebP file by its content.
    ///   - now: from when on it counts as unused, until something refers to it; the same picture again begins anew.
    ///   - isForbidden: whether a picture must not be kept; asked once what would be kept is known.
    /// - Throws: ``ImageError``, with nothing kept.
    public func add(
        _ bytes: [UInt8], at now: Instant, unless isForbidden: @escaping @Sendable (ImageID) throws -> Bool = { _ in false }
    ) async throws(ImageError) -> StoredImage {
        // Refused before it waits for anything.
        guard bytes.count <= ImageLimits.fileBytesMax else { throw .tooLarge }
        guard ImageFormat(bytes) != nil else { throw .unsupported }
        return try await pool.run(for: .upload) { [self] () throws(ImageError) in
            let answer = try pool.child(bytes)
            guard answer.verdict == .made else { throw .unsupported }
            let digest = Array(SHA256.hash(data: answer.file))
            do { if try isForbidden(ImageID(digest: digest)) { throw ImageError.takenDown } } catch let error as ImageError {
                throw error
            } catch { throw .failed(String(describing: error)) }
            try store(answer.file, as: digest, at: now)
            return StoredImage(id: ImageID(digest: digest), width: answer.width, height: answer.height)
        }
    }

    /// The bytes of a picture.
    ///
    /// - Parameter width: nil for the picture itself; else for one of ``ImageLimits/thumbnailWidths``, or the picture where that is
    ///   no wider.
    /// - Returns: nil where there is no such picture.
    public func image(_ id: ImageID, width: Int? = nil) async throws(ImageError) -> ShownImage? {
        guard let digest = digest(of: id) else { return nil }
        guard let width else { return original(digest) }
        if let made = made(digest, width) { return made }
        return try await pool.run(for: .thumbnail) { () throws(ImageError) in try self.thumbnail(digest, width) }
    }

    /// Whether there is such a picture.
    public func has(_ id: ImageID) -> Bool { digest(of: id) != nil }

    /// Whether there is such a picture, for somebody who is about to refer to it: if so, it counts as unused from now on at the earliest,
    /// so that no sweep removes it before the reference is in the log.
    public func hold(_ id: ImageID, by account: AccountID, at now: Instant) -> Bool {
        guard let digest = digest(of: id) else { return false }
        return ages.withLock { holds in
            guard setTime(of: digest, now) else { return false }
            if holds.count >= ImageLimits.holdsMax {
                holds = holds.filter { $0.value.values.contains { Self.isYoung($0, at: now) } }
            }
            holds[id] = (holds[id] ?? [:]).filter { Self.isYoung($0.value, at: now) }
            holds[id]?[account] = now
            return true
        }
    }

    /// Lets go of a picture: it counts as unused since ever, until somebody says by ``hold(_:by:at:)`` that they are about to refer to
    /// it. One that something refers to stays all the same, and so does one that somebody else was about to refer to in the last minute.
    ///
    /// - Returns: false where somebody else was.
    @discardableResult
    public func release(_ id: ImageID, by account: AccountID, at now: Instant) -> Bool {
        guard let digest = digest(of: id) else { return true }
        return ages.withLock { holds in
            guard holds[id]?.contains(where: { $0.key != account && Self.isYoung($0.value, at: now) }) != true else { return false }
            _ = setTime(of: digest, Self.released)
            return true
        }
    }

    /// Whether a request that was begun at a time may still be under way.
    private static func isYoung(_ time: Instant, at now: Instant) -> Bool {
        now < time.advanced(bySeconds: ImageLimits.holdSeconds)
    }

    /// The time of pictures that were let go.
    static let released = Instant(microseconds: 0)

    private func store(_ file: [UInt8], as digest: [UInt8], at now: Instant) throws(ImageError) {
        let path = path(digest.hexadecimal)
        do {
            try DurableNames.makeFolder(folder(digest.hexadecimal))
            if touch(digest.hexadecimal, at: now) { return }
            // A crash before it is complete leaves a file under another name, which the next sweep removes.
            try DurableFile.replace(path, with: file)
        } catch {
            throw .failed("\(path): \(error)")
        }
        guard touch(digest.hexadecimal, at: now) else { throw .failed("\(path): it is gone, or its time cannot be set") }
    }
}
