internal import Crypto
internal import Foundation
internal import LMDB
public import Loyalty
internal import Synchronization

/// The pictures of a data folder: `blobs/ab/abcd…`, each named by the SHA-256 of its own bytes, in hexadecimal.
///
/// A picture's id is the first half of that digest, so the same picture is kept once, and its bytes never change. One picture is
/// decoded at a time, on a thread of the store's own; a file is complete and on the disk before anybody learns its id.
public final class ImageStore: Sendable {
    let blobs: String
    let thumbnails: String
    /// Decodes, encodes and writes.
    private let work = DispatchQueue(label: "images")
    private let waiting = Mutex(0)
    /// Held while a picture's time is looked at and acted upon, so that none is removed that was just named.
    let ages = Mutex(())

    /// - Parameters:
    ///   - blobs: the folder of pictures; made when the first one comes.
    ///   - thumbnails: the folder of what can be made from them again.
    public init(blobs: String, thumbnails: String) {
        (self.blobs, self.thumbnails) = (blobs, thumbnails)
    }

    /// Takes in a picture.
    ///
    /// - Parameters:
    ///   - bytes: a JPEG, PNG or WebP file by its content.
    ///   - now: from when on it counts as unused, until something refers to it; the same picture again begins anew.
    /// - Throws: ``ImageError``, with nothing kept.
    public func add(_ bytes: [UInt8], at now: Instant) async throws(ImageError) -> StoredImage {
        // Refused before it waits for anything.
        let header = try ImageHeader(bytes)
        return try await working { () throws(ImageError) in
            let picture = try Picture.kept(bytes, header)
            guard let file = picture.encoded(as: header.format) else { throw .failed("a picture did not encode") }
            let digest = Array(SHA256.hash(data: file))
            try self.store(file, as: digest, at: now)
            return StoredImage(id: ImageID(digest: digest), width: picture.width, height: picture.height)
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
        return try await working { () throws(ImageError) in try self.thumbnail(digest, width) }
    }

    /// Whether there is such a picture.
    public func has(_ id: ImageID) -> Bool { digest(of: id) != nil }

    /// Whether there is such a picture, for somebody who is about to refer to it: if so, it counts as unused from now on at the earliest,
    /// so that no sweep removes it before the reference is in the log.
    public func hold(_ id: ImageID, at now: Instant) -> Bool {
        guard let digest = digest(of: id) else { return false }
        return touch(digest, at: now)
    }

    /// Runs work that takes a while on the store's own thread, one after the other; refuses when too much waits.
    private func working<Value: Sendable>(
        _ body: @escaping @Sendable () throws(ImageError) -> Value
    ) async throws(ImageError) -> Value {
        let isFree = waiting.withLock { count in
            guard count < ImageLimits.waitingMax else { return false }
            count += 1
            return true
        }
        guard isFree else { throw .busy }
        let result: Result<Value, ImageError> = await withCheckedContinuation { continuation in
            work.async {
                let result: Result<Value, ImageError>
                do throws(ImageError) { result = .success(try body()) } catch { result = .failure(error) }
                self.waiting.withLock { $0 -= 1 }
                continuation.resume(returning: result)
            }
        }
        return try result.get()
    }

    private func store(_ file: [UInt8], as digest: [UInt8], at now: Instant) throws(ImageError) {
        let path = path(digest.hexadecimal)
        do {
            try FileManager.default.createDirectory(atPath: folder(digest.hexadecimal), withIntermediateDirectories: true)
            if touch(digest.hexadecimal, at: now) { return }
            // A crash before it is complete leaves a file under another name, which the next sweep removes.
            try DurableFile.replace(path, with: file)
        } catch {
            throw .failed("\(path): \(error)")
        }
        guard touch(digest.hexadecimal, at: now) else { throw .failed("\(path): it is gone, or its time cannot be set") }
    }
}
