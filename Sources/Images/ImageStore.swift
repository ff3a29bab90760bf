internal import Crypto
internal import Foundation
internal import LMDB
public import Loyalty
internal import Synchronization

/// The pictures in a data folder: `blobs/ab/abcd…`, each named by its id and the SHA-256 of its bytes; see ``ImageName``.
///
/// A picture's id is derived from its sender and its bytes. So the same picture of one account is stored once, two accounts store it twice,
/// and the service can check without a table whether an account has sent a picture. Child processes (``PictureChild``), a few at a time,
/// read, decode and encode pictures. This process interprets only the first bytes of a file. A picture's file is complete and on the disk
/// before its id is returned.
///
/// Unreferenced pictures are removed after a day. A request that will refer to a picture first renews the time of the picture's file. The
/// sweep checks that time again in the step that removes the file, so that no picture disappears between a request's check and its event. A
/// backup copies pictures after the log, and a restore compares each with the digest in its name.
public final class ImageStore: Sendable {
    let blobs: String
    let thumbnails: String
    /// Runs the child processes, and the work that writes files.
    let pool: PicturePool
    /// Computes the id of a picture from its digest and its sender.
    let identify: @Sendable (_ digest: [UInt8], AccountID) -> ImageID
    /// Locked while the time of a picture's file is renewed, and while this time is checked and the file is then removed. So a picture that
    /// a request is about to refer to is not removed.
    let ages = Mutex<Void>(())
    /// Locked while a picture or a thumbnail is written, because two jobs may write the same file.
    private let writes = Mutex<Void>(())
    /// The names of stored pictures in the folders that were listed so far.
    let known = Mutex(PictureNames())
    /// The pictures that the last search found missing or damaged.
    let damaged = Mutex<Set<ImageID>>([])

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - blobs: the folder of pictures, created with the first picture.
    ///   - thumbnails: the folder of thumbnails, which can be made again from the pictures.
    ///   - program: the program that decodes pictures.
    ///   - identify: computes the id of a picture from its digest and its sender. It MUST never change, and MUST be a keyed hash: nobody
    ///     without the key may be able to compute an id, or to find a sender for which the id equals that of another picture.
    public init(
        blobs: String, thumbnails: String, program: PictureProgram = .own,
        identify: @escaping @Sendable (_ digest: [UInt8], AccountID) -> ImageID
    ) {
        (self.blobs, self.thumbnails, self.identify) = (blobs, thumbnails, identify)
        pool = PicturePool(program, processors: ProcessInfo.processInfo.activeProcessorCount)
    }

    /// The load that work on pictures causes.
    public var activity: PictureActivity { pool.activity }

    /// Rejects all further pictures, and waits until the running jobs have ended. Blocks for at most the maximum duration of a child, and
    /// the time in which its picture is stored.
    public func close() { pool.close() }

    /// Adds a picture.
    ///
    /// - Parameters:
    ///   - bytes: a JPEG, PNG or WebP file, as recognized by its content.
    ///   - account: the sender.
    ///   - now: the present time, from which the picture is regarded as unused until something refers to it. Sending the same picture again
    ///     restarts that time.
    ///   - isForbidden: whether a picture with this content must not be stored. It is called after a child has made the stored form.
    /// - Throws: ``ImageError``. After an error, the picture does not count as stored. If the error came from the disk, there may be a
    ///   file, which a later sweep removes.
    public func add(
        _ bytes: [UInt8], by account: AccountID, at now: Instant,
        unless isForbidden: @escaping @Sendable (_ content: ImageID) throws -> Bool = { _ in false }
    ) async throws(ImageError) -> StoredImage {
        // A file of a wrong size or format is rejected before the picture waits for a child process.
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

    /// Reads the QR code in a photo. Nothing of the photo is stored.
    ///
    /// - Returns: the code's content, any text of at most ``ImageLimits/codeBytesMax`` bytes; nil if there is no code.
    /// - Throws: ``ImageError``.
    public func code(in photo: [UInt8]) async throws(ImageError) -> String? {
        guard photo.count <= ImageLimits.fileBytesMax else { throw .tooLarge }
        guard ImageFormat(photo) != nil else { throw .unsupported }
        return try await pool.run(for: .scan) { [pool] () throws(ImageError) in
            let answer = try pool.child(photo, .readCode)
            return answer.verdict == .read ? answer.content : nil
        }
    }

    /// Opens the file of a picture or of its thumbnail.
    ///
    /// - Parameter width: nil for the picture itself; else the width of a thumbnail, one of ``ImageLimits/thumbnailWidths``. If the picture
    ///   is no wider than that, the picture itself is returned.
    /// - Returns: nil if there is no such picture.
    public func image(_ id: ImageID, width: Int? = nil) async throws(ImageError) -> ShownImage? {
        guard let name = name(of: id) else { return nil }
        guard let width else { return original(name) }
        if let made = made(name, width) { return made }
        return try await pool.run(for: .thumbnail) { () throws(ImageError) in try self.thumbnail(name, width) }
    }

    /// Whether the picture exists.
    public func has(_ id: ImageID) -> Bool { name(of: id) != nil }

    /// Protects a picture from sweeps until an event that refers to it is in the log. Call it before the event is stored. From now on, the
    /// picture counts as recently sent. Returns false if there is no such picture, or if the account did not send it.
    public func hold(_ id: ImageID, by account: AccountID, at now: Instant) -> Bool {
        guard let name = name(of: id), isSent(name, by: account) else { return false }
        return touch(name, at: now)
    }

    /// Marks a picture as released: its file time becomes 1970, so that the next sweep removes it if nothing refers to it. A later call of
    /// ``hold(_:by:at:)`` undoes this. A picture to which something refers is not removed.
    public func release(_ id: ImageID) {
        guard let name = name(of: id) else { return }
        _ = touch(name, at: Self.released)
    }

    /// The file time of released pictures.
    static let released = Instant(microseconds: 0)

    private func store(_ file: [UInt8], as name: ImageName, at now: Instant) throws(ImageError) {
        let path = path(name)
        do {
            try DurableNames.makeFolder(folder(name))
            if !damaged.withLock({ $0.contains(name.id) }), touch(name, at: now) { return }
            // A crash before the file is complete leaves a file with a temporary name, which a later sweep removes.
            defer { known.withLock { $0.forget(folder(name)) } }
            try writes.withLock { _ in try DurableFile.replace(path, with: file) }
            _ = damaged.withLock { $0.remove(name.id) }
        } catch {
            if (error as? LMDBError)?.code == .diskFull { throw .busy }
            throw .failed("\(path): \(error)")
        }
        guard touch(name, at: now) else { throw .failed("\(path): it is gone, or its time cannot be set") }
    }
}

extension ImageStore {
    /// The folder of a picture's file. There are at most 256 such folders, named by the first two digits of the file names.
    func folder(_ name: ImageName) -> String { blobs + "/" + name.text.prefix(2) }

    func path(_ name: ImageName) -> String { folder(name) + "/" + name.text }

    func path(_ name: ImageName, width: Int) -> String { "\(thumbnails)/\(name.text)-\(width)" }

    /// The name of a picture's file, which contains the picture's id and digest; nil if there is no such picture.
    public func name(of id: ImageID) -> ImageName? {
        let folder = blobs + "/" + id.value.hexadecimal.prefix(2)
        return known.withLock { known in
            guard let name = known.name(of: id, in: folder) else { return nil }
            if FileManager.default.fileExists(atPath: path(name)) { return name }
            // The name is remembered, but another program has removed the file.
            known.forget(folder)
            return nil
        }
    }

    /// The number of times that a look-up has listed a folder.
    var listings: Int { known.withLock { $0.listings } }

    /// Whether an account has sent a picture. False for every file that an older version of the program stored, because its sender is not
    /// known.
    public func isSent(_ name: ImageName, by account: AccountID) -> Bool {
        name.hasSender && identify(name.digest, account) == name.id
    }

    /// Renews the file time of a picture: the picture is regarded as unused only from now on.
    ///
    /// - Returns: false if the picture no longer exists, or if its file time cannot be set.
    func touch(_ name: ImageName, at now: Instant) -> Bool {
        ages.withLock { _ in setTime(of: name, now) }
    }

    /// The time of a picture's file: when the picture was last sent or held with ``hold(_:by:at:)``, or 1970 if it was released. If nothing
    /// refers to the picture, it counts as unused since this time.
    ///
    /// - Returns: nil if there is no such picture.
    private func time(of name: ImageName) -> Instant? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path(name))
        return (attributes?[.modificationDate] as? Date).map {
            Instant(microseconds: Int64(($0.timeIntervalSince1970 * 1_000_000).rounded()))
        }
    }

    /// Whether the picture was released by ``release(_:)``, and neither sent nor held since. True also if there is no such picture.
    public func isReleased(_ name: ImageName) -> Bool { time(of: name).map { $0 <= Self.released } ?? true }

    /// Sets the time of a picture's file. Call it only while ``ages`` is locked.
    func setTime(of name: ImageName, _ time: Instant) -> Bool {
        let seconds = Double(time.microseconds) / 1_000_000
        let attributes: [FileAttributeKey: Any] = [.modificationDate: Date(timeIntervalSince1970: seconds)]
        return (try? FileManager.default.setAttributes(attributes, ofItemAtPath: path(name))) != nil
    }

    func original(_ name: ImageName) -> ShownImage? {
        damaged.withLock { $0.contains(name.id) } ? nil : ShownImage(path: path(name), tag: name.text, name: name)
    }

    /// The stored thumbnail of this width, or the picture itself if a stored marker says that the picture is no wider; nil if there is
    /// neither.
    func made(_ name: ImageName, _ width: Int) -> ShownImage? {
        let path = path(name, width: width)
        if let thumbnail = ShownImage(path: path, tag: "\(name.text)-\(width)", name: name) { return thumbnail }
        guard FileManager.default.contents(atPath: path).map(Array.init) == Self.noWider else { return nil }
        return original(name)
    }

    /// The content of a thumbnail's file if the picture is no wider than the thumbnail. This marker is not an empty file, because a power
    /// failure may leave any file empty.
    private static let noWider = Array("no wider".utf8)

    /// Makes and stores a thumbnail. If the thumbnail cannot be stored, it is still returned.
    ///
    /// If the picture is no wider than the thumbnail, that fact is also stored, so that a child has to find it out only once. A thumbnail's
    /// file is flushed before it gets its name. Otherwise a file that a power failure has truncated could be served.
    func thumbnail(_ name: ImageName, _ width: Int) throws(ImageError) -> ShownImage? {
        if let made = made(name, width) { return made }
        guard let original = original(name) else { return nil }
        let bytes = try original.bytes(in: 0..<original.count)
        let answer: PictureAnswer
        do throws(ImageError) { answer = try pool.child(bytes, .thumbnail(width: width)) } catch {
            guard error == .unsupported || error == .tooLarge else { throw error }
            throw .failed("no thumbnail can be made of \(name.text)")
        }
        try? FileManager.default.createDirectory(atPath: thumbnails, withIntermediateDirectories: true)
        let file = answer.verdict == .made ? answer.file : Self.noWider
        writes.withLock { _ in try? DurableFile.replace(path(name, width: width), with: file) }
        // The picture and its thumbnails may have been removed while this thumbnail was made. Then this thumbnail must be removed as well.
        guard FileManager.default.fileExists(atPath: path(name)) else {
            removeThumbnails(of: name)
            return nil
        }
        guard answer.verdict == .made else { return original }
        // The stored thumbnail is read from its file. If it could not be stored, it is in memory while it is sent.
        return made(name, width) ?? ShownImage(bytes: answer.file, tag: "\(name.text)-\(width)", name: name) ?? original
    }
}

extension ImageStore {
    /// Removes unreferenced pictures with their thumbnails, and the remains of interrupted writes and removals.
    ///
    /// This call blocks. Meanwhile a request may be about to refer to a picture to which nothing refers yet. That request has called
    /// ``hold(_:by:at:)``, which renewed the picture's file time. So after `use` has returned, the file time is checked again in the step
    /// that removes the file.
    ///
    /// - Parameters:
    ///   - time: removes only pictures whose file time is before this time, or that an operator has forbidden.
    ///   - use: returns whether something refers to a picture at present.
    /// - Returns: the number of removed pictures.
    /// - Throws: an error of `use`, after which no further picture is removed; ``ImageError/failed(_:)`` if a file could not be removed,
    ///   thrown after the other files were removed.
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

    /// Removes pictures from a list at once, without waiting for the next sweep: those that were released by ``release(_:)`` and are
    /// unreferenced, and those that an operator has forbidden.
    ///
    /// Blocks.
    ///
    /// - Throws: an error of `use`; ``ImageError/failed(_:)`` if a file cannot be removed.
    public func removeReleased(_ images: some Sequence<ImageID>, use: (ImageName) throws -> ImageUse) throws {
        for id in images {
            guard let name = name(of: id) else { continue }
            try remove(name, ifOlderThan: Self.date(Self.released.advanced(bySeconds: 1)), use)
        }
    }

    /// Removes one picture if an operator has forbidden it, or if nothing refers to it and its file time is before `limit`. Returns whether
    /// it was removed.
    ///
    /// - Throws: an error of `use`; ``ImageError/failed(_:)`` if the file cannot be removed.
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
            known.withLock { $0.forget(folder(name)) }
            removeThumbnails(of: name)
            // The folder is flushed, so that a picture that was reported as removed does not exist again after a power failure.
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

/// Whether the log refers to a stored picture, or forbids it.
public enum ImageUse: Hashable, Sendable {
    /// Something in the log refers to the picture, by the rules of `PictureUse`.
    case used
    /// Nothing refers to the picture. It is removed, unless its file time is recent.
    case unused
    /// An operator has forbidden the picture. It is removed at once.
    case takenDown
}
