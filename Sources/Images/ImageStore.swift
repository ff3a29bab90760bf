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
///
/// Pictures that nothing names are removed after a day. Naming a picture renews its file's time, and the sweep checks the time once more in
/// the step that removes, so that no picture disappears between a request's check and its event. A backup copies pictures after the log,
/// and a restore compares each with the digest in its name.
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

extension ImageStore {
    /// Files lie in 256 folders, by their first two digits.
    func folder(_ name: ImageName) -> String { blobs + "/" + name.text.prefix(2) }

    func path(_ name: ImageName) -> String { folder(name) + "/" + name.text }

    func path(_ name: ImageName, width: Int) -> String { "\(thumbnails)/\(name.text)-\(width)" }

    /// The name of a picture's file, which says more than its id; nil where there is no such picture.
    public func name(of id: ImageID) -> ImageName? {
        let digits = id.value.hexadecimal
        let names = (try? FileManager.default.contentsOfDirectory(atPath: blobs + "/" + digits.prefix(2))) ?? []
        return names.filter { $0.hasPrefix(digits) }.sorted().lazy.compactMap { ImageName($0) }.first
    }

    /// Whether an account has sent a picture. False for every file of an older program.
    public func isSent(_ name: ImageName, by account: AccountID) -> Bool {
        name.hasSender && identify(name.digest, account) == name.id
    }

    /// Lets a picture count as unused from now on at the earliest.
    ///
    /// - Returns: false where there is none any more.
    func touch(_ name: ImageName, at now: Instant) -> Bool {
        ages.withLock { _ in setTime(of: name, now) }
    }

    /// The time since when a picture counts as unused unless something refers to it: when it was last sent or held.
    ///
    /// - Returns: nil where there is no such picture.
    public func time(of name: ImageName) -> Instant? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path(name))
        return (attributes?[.modificationDate] as? Date).map {
            Instant(microseconds: Int64(($0.timeIntervalSince1970 * 1_000_000).rounded()))
        }
    }

    /// Only while ``ages`` is locked.
    func setTime(of name: ImageName, _ time: Instant) -> Bool {
        let seconds = Double(time.microseconds) / 1_000_000
        let attributes: [FileAttributeKey: Any] = [.modificationDate: Date(timeIntervalSince1970: seconds)]
        return (try? FileManager.default.setAttributes(attributes, ofItemAtPath: path(name))) != nil
    }

    func original(_ name: ImageName) -> ShownImage? {
        guard let data = FileManager.default.contents(atPath: path(name)) else { return nil }
        let bytes = Array(data)
        return ImageFormat(bytes).map { ShownImage(format: $0, bytes: bytes, tag: name.text, name: name) }
    }

    /// A thumbnail that was made before, or the picture where that was found to be no wider.
    func made(_ name: ImageName, _ width: Int) -> ShownImage? {
        guard let data = FileManager.default.contents(atPath: path(name, width: width)) else { return nil }
        let bytes = Array(data)
        if bytes == Self.noWider { return original(name) }
        return ImageFormat(bytes).map { ShownImage(format: $0, bytes: bytes, tag: "\(name.text)-\(width)", name: name) }
    }

    /// The file of a thumbnail that a picture is too narrow for. It is no empty file, which a power cut may leave of any.
    private static let noWider = Array("no wider".utf8)

    /// Makes a thumbnail and keeps it; that it cannot be kept is no reason not to show it.
    ///
    /// That a picture is no wider is kept as well, so that a child has to find that out once only. A file is flushed before it has its
    /// name: one that a power cut had cut off would be shown as it is.
    func thumbnail(_ name: ImageName, _ width: Int) throws(ImageError) -> ShownImage? {
        if let made = made(name, width) { return made }
        guard let original = original(name) else { return nil }
        let answer: PictureAnswer
        do throws(ImageError) { answer = try pool.child(original.bytes, width: width) } catch {
            guard error == .unsupported || error == .tooLarge else { throw error }
            throw .failed("no thumbnail can be made of \(name.text)")
        }
        try? FileManager.default.createDirectory(atPath: thumbnails, withIntermediateDirectories: true)
        let file = answer.verdict == .made ? answer.file : Self.noWider
        try? DurableFile.replace(path(name, width: width), with: file)
        // The picture may have been removed meanwhile, with the thumbnails that it had.
        guard FileManager.default.fileExists(atPath: path(name)) else {
            removeThumbnails(of: name)
            return nil
        }
        guard answer.verdict == .made, let format = ImageFormat(answer.file) else { return original }
        return ShownImage(format: format, bytes: answer.file, tag: "\(name.text)-\(width)", name: name)
    }
}

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
            // After this, a power cut cannot bring back a picture that was reported as gone.
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

/// The log's references to a picture that is kept.
public enum ImageUse: Hashable, Sendable {
    /// Something refers to it.
    case used
    /// Nothing does: it is removed, once nobody has said for a while that they are about to.
    case unused
    /// An operator has taken it down: it is removed at once.
    case takenDown
}
