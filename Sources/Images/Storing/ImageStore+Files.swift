internal import Foundation
internal import LMDB
public import Loyalty
internal import Synchronization

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
