internal import Crypto
internal import Foundation
internal import LMDB
public import Loyalty
internal import Synchronization

/// The pictures of a data folder: `blobs/ab/abcd…`, each named by its id and the SHA-256 of its bytes; see ``ImageName``.
///
/// A picture's id follows from who sent it and from its bytes. So the same picture of one account is kept once, two accounts keep two, and
/// each belongs to its sender without a table that says so. Pictures are read, decoded and encoded by child processes (``PictureChild``), a
/// few at a time; this process never looks into a file beyond its first bytes. A file is complete and on the disk before anybody learns
/// its id.
public final class ImageStore: Sendable {
    let blobs: String
    let thumbnails: String
    /// Asks children, and writes.
    let pool: PicturePool
    /// The id of a picture with a digest that an account sends.
    let identify: @Sendable (_ digest: [UInt8], AccountID) -> ImageID
    /// Held while a picture's time is looked at and acted upon, so that none is removed that was just named.
    let ages = Mutex<Void>(())

    /// - Parameters:
    ///   - blobs: the folder of pictures; made when the first one comes.
    ///   - thumbnails: the folder of what can be made from them again.
    ///   - program: what decodes pictures.
    ///   - identify: the id of a picture by its digest and its sender. It MUST be the same for ever, and nobody else may be able to tell
    ///     it, or to find a sender that gets an id which another has.
    public init(
        blobs: String, thumbnails: String, program: PictureProgram = .own,
        identify: @escaping @Sendable (_ digest: [UInt8], AccountID) -> ImageID
    ) {
        (self.blobs, self.thumbnails, self.identify) = (blobs, thumbnails, identify)
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
    ///   - account: who sends it.
    ///   - now: from when on it counts as unused, until something refers to it; the same picture again begins anew.
    ///   - isForbidden: whether such content must not be kept; asked once what would be kept is known.
    /// - Throws: ``ImageError``, with nothing kept.
    public func add(
        _ bytes: [UInt8], by account: AccountID, at now: Instant,
        unless isForbidden: @escaping @Sendable (_ content: ImageID) throws -> Bool = { _ in false }
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
            let name = ImageName(id: identify(digest, account), digest: digest)
            try store(answer.file, as: name, at: now)
            return StoredImage(id: name.id, width: answer.width, height: answer.height)
        }
    }

    /// The bytes of a picture.
    ///
    /// - Parameter width: nil for the picture itself; else for one of ``ImageLimits/thumbnailWidths``, or the picture where that is
    ///   no wider.
    /// - Returns: nil where there is no such picture.
    public func image(_ id: ImageID, width: Int? = nil) async throws(ImageError) -> ShownImage? {
        guard let name = name(of: id) else { return nil }
        guard let width else { return original(name) }
        if let made = made(name, width) { return made }
        return try await pool.run(for: .thumbnail) { () throws(ImageError) in try self.thumbnail(name, width) }
    }

    /// Whether there is such a picture.
    public func has(_ id: ImageID) -> Bool { name(of: id) != nil }

    /// Whether an account has sent a picture that is there, and is about to refer to it: if so, it counts as unused from now on at the
    /// earliest, so that no sweep removes it before the reference is in the log.
    public func hold(_ id: ImageID, by account: AccountID, at now: Instant) -> Bool {
        guard let name = name(of: id), isSent(name, by: account) else { return false }
        return touch(name, at: now)
    }

    /// Lets go of a picture: it counts as unused since ever, until its sender says by ``hold(_:by:at:)`` that they are about to refer to
    /// it. One that something refers to stays all the same.
    public func release(_ id: ImageID) {
        guard let name = name(of: id) else { return }
        _ = touch(name, at: Self.released)
    }

    /// The time of pictures that were let go.
    static let released = Instant(microseconds: 0)

    private func store(_ file: [UInt8], as name: ImageName, at now: Instant) throws(ImageError) {
        let path = path(name)
        do {
            try DurableNames.makeFolder(folder(name))
            if touch(name, at: now) { return }
            // A crash before it is complete leaves a file under another name, which the next sweep removes.
            try DurableFile.replace(path, with: file)
        } catch {
            throw .failed("\(path): \(error)")
        }
        guard touch(name, at: now) else { throw .failed("\(path): it is gone, or its time cannot be set") }
    }
}
