internal import Crypto
internal import Foundation
internal import LMDB
public import Loyalty
internal import Synchronization

/// The pictures in a data folder: `blobs/ab/abcd…`, each file with an ``ImageName``. A picture is on the disk before its id is returned.
///
/// Unreferenced pictures are removed after a day. A request that will refer to one first renews its file time, which the sweep checks again
/// in the step that removes the file.
public final class ImageStore: Sendable {
    let blobs: String
    let thumbnails: String
    let pool: PicturePool
    let identify: @Sendable (_ digest: [UInt8], AccountID) -> ImageID
    /// Locked while a file time is renewed, or checked before the file is removed.
    let ages = Mutex<Void>(())
    private let writes = Mutex<Void>(())
    let known = Mutex(PictureNames())
    let damaged = Mutex<Set<ImageID>>([])

    /// - Parameter identify: a keyed hash that MUST never change. Without the key, nobody can compute an id, or find a sender that gives
    ///   another picture's id.
    public init(
        blobs: String, thumbnails: String, program: PictureProgram = .own,
        identify: @escaping @Sendable (_ digest: [UInt8], AccountID) -> ImageID
    ) {
        (self.blobs, self.thumbnails, self.identify) = (blobs, thumbnails, identify)
        pool = PicturePool(program, processors: ProcessInfo.processInfo.activeProcessorCount)
    }

    public var activity: PictureActivity { pool.activity }

    /// Rejects further pictures, and blocks until the running jobs have ended.
    public func close() { pool.close() }

    /// Adds a JPEG, PNG or WebP file, recognized by its content.
    ///
    /// - Parameters:
    ///   - now: the picture counts as unused from this time; sending it again renews this.
    ///   - isForbidden: called before the stored form is written.
    /// - Throws: ``ImageError``; the picture does not count as stored.
    public func add(
        _ bytes: [UInt8], by account: AccountID, at now: Instant,
        unless isForbidden: @escaping @Sendable (_ content: ImageID) throws -> Bool = { _ in false }
    ) async throws(ImageError) -> StoredImage {
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

    /// Reads the QR code in a photo, and stores nothing.
    public func code(in photo: [UInt8]) async throws(ImageError) -> String? {
        guard photo.count <= ImageLimits.fileBytesMax else { throw .tooLarge }
        guard ImageFormat(photo) != nil else { throw .unsupported }
        return try await pool.run(for: .scan) { [pool] () throws(ImageError) in
            let answer = try pool.child(photo, .readCode)
            return answer.verdict == .read ? answer.content : nil
        }
    }

    /// - Parameter width: one of ``ImageLimits/thumbnailWidths``; a picture that is no wider is returned itself.
    public func image(_ id: ImageID, width: Int? = nil) async throws(ImageError) -> ShownImage? {
        guard let name = name(of: id) else { return nil }
        guard let width else { return original(name) }
        if let made = made(name, width) { return made }
        return try await pool.run(for: .thumbnail) { () throws(ImageError) in try self.thumbnail(name, width) }
    }

    /// Whether the picture exists.
    public func has(_ id: ImageID) -> Bool { name(of: id) != nil }

    /// Protects a picture from sweeps; call it before the event that refers to it is stored. False if the account did not send such a
    /// picture.
    public func hold(_ id: ImageID, by account: AccountID, at now: Instant) -> Bool {
        guard let name = name(of: id), isSent(name, by: account) else { return false }
        return touch(name, at: now)
    }

    /// Lets the next sweep remove a picture if nothing refers to it. ``hold(_:by:at:)`` undoes this.
    public func release(_ id: ImageID) {
        guard let name = name(of: id) else { return }
        _ = touch(name, at: Self.released)
    }

    static let released = Instant(microseconds: 0)

    func store(_ file: [UInt8], as name: ImageName, at now: Instant) throws(ImageError) {
        let path = path(name)
        do {
            try DurableNames.makeFolder(folder(name))
            if !damaged.withLock({ $0.contains(name.id) }), touch(name, at: now) { return }
            // A crash leaves a temporary file, which a later sweep removes.
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
    func folder(_ name: ImageName) -> String { blobs + "/" + name.text.prefix(2) }
    func path(_ name: ImageName) -> String { folder(name) + "/" + name.text }
    func path(_ name: ImageName, width: Int) -> String { "\(thumbnails)/\(name.text)-\(width)" }

    /// The name of a picture's file.
    public func name(of id: ImageID) -> ImageName? {
        let folder = blobs + "/" + id.value.hexadecimal.prefix(2)
        return known.withLock { known in
            guard let name = known.name(of: id, in: folder) else { return nil }
            if FileManager.default.fileExists(atPath: path(name)) { return name }
            // Another program has removed the file.
            known.forget(folder)
            return nil
        }
    }

    var listings: Int { known.withLock { $0.listings } }

    /// False for a file of an older version.
    public func isSent(_ name: ImageName, by account: AccountID) -> Bool { name.hasSender && identify(name.digest, account) == name.id }

    /// Sets the time at which the picture was last sent or held; false if there is no file.
    func touch(_ name: ImageName, at now: Instant) -> Bool {
        ages.withLock { _ in
            (try? FileManager.default.setAttributes([.modificationDate: Self.date(now)], ofItemAtPath: path(name))) != nil
        }
    }

    /// Whether the picture was released and neither sent nor held since, or does not exist.
    public func isReleased(_ name: ImageName) -> Bool { modified(path(name)).map { $0 <= Self.date(Self.released) } ?? true }

    func original(_ name: ImageName) -> ShownImage? {
        damaged.withLock { $0.contains(name.id) } ? nil : ShownImage(path: path(name), tag: name.text, name: name)
    }

    func made(_ name: ImageName, _ width: Int) -> ShownImage? {
        let path = path(name, width: width)
        if let thumbnail = ShownImage(path: path, tag: "\(name.text)-\(width)", name: name) { return thumbnail }
        guard FileManager.default.contents(atPath: path).map(Array.init) == Self.noWider else { return nil }
        return original(name)
    }

    /// Not an empty file: a power failure may leave any file empty.
    private static let noWider = Array("no wider".utf8)

    /// Makes a thumbnail, or a marker that the picture is no wider, and tries to store it. The file is flushed before it gets its name:
    /// otherwise a truncated one could be served after a power failure.
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
        // The picture may have been removed meanwhile.
        guard FileManager.default.fileExists(atPath: path(name)) else {
            removeThumbnails(of: name)
            return nil
        }
        guard answer.verdict == .made else { return original }
        return made(name, width) ?? ShownImage(bytes: answer.file, tag: "\(name.text)-\(width)", name: name) ?? original
    }
}

extension ImageStore {
    /// Removes unreferenced pictures with their thumbnails, and the remains of interrupted writes and removals. Blocks.
    ///
    /// A request may hold a picture while `use` runs, so the file time is checked again in the step that removes the file.
    ///
    /// - Throws: an error of `use` at once; ``ImageError/failed(_:)`` at the end if a file could not be removed.
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

    /// Removes at once the listed pictures that are released and unreferenced, or forbidden. Blocks.
    public func removeReleased(_ images: some Sequence<ImageID>, use: (ImageName) throws -> ImageUse) throws {
        for id in images {
            guard let name = name(of: id) else { continue }
            try remove(name, ifOlderThan: Self.date(Self.released.advanced(bySeconds: 1)), use)
        }
    }

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
            // Otherwise a picture reported as removed could reappear after a power failure.
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
    private func names(in folder: String) -> [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() }
    private func isOlder(_ path: String, than limit: Date) -> Bool { modified(path).map { $0 < limit } ?? false }

    private func modified(_ path: String) -> Date? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
    }

    func removeThumbnails(of name: ImageName) {
        for width in ImageLimits.thumbnailWidths { try? FileManager.default.removeItem(atPath: path(name, width: width)) }
    }
}

/// Whether the log refers to a stored picture, or forbids it.
public enum ImageUse: Hashable, Sendable {
    /// By the rules of `PictureUse`.
    case used
    /// Removed unless its file time is recent.
    case unused
    /// Removed at once.
    case takenDown
}

extension ImageStore {
    /// Finds pictures whose files are missing or do not match their digests. Reads each file and blocks.
    ///
    /// Folders are listed anew, so that a file that was put back is served again.
    ///
    /// - Throws: `CancellationError` when `isStopping`, called before each picture, returns true.
    public func missing(_ images: Set<ImageID>, unless isStopping: () -> Bool = { false }) throws -> Set<ImageID> {
        var listed: Set<Substring> = []
        var missing: Set<ImageID> = []
        for image in images {
            if isStopping() { throw CancellationError() }
            let shard = image.value.hexadecimal.prefix(2)
            if listed.insert(shard).inserted { known.withLock { $0.forget(blobs + "/" + shard) } }
            if !isWhole(image) { missing.insert(image) }
        }
        // A picture may have been sent again meanwhile.
        let damaged = missing.filter { !isWhole($0) }
        self.damaged.withLock { $0 = damaged }
        return missing
    }

    private func isWhole(_ image: ImageID) -> Bool {
        guard let name = name(of: image), let bytes = FileManager.default.contents(atPath: path(name)) else { return false }
        return Array(SHA256.hash(data: bytes)) == name.digest
    }
}
