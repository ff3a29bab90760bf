internal import Foundation
internal import LMDB
internal import Loyalty
internal import Synchronization

extension ImageStore {
    /// Files lie in 256 folders, by their first two digits.
    func folder(_ digest: String) -> String { blobs + "/" + digest.prefix(2) }

    func path(_ digest: String) -> String { folder(digest) + "/" + digest }

    func path(_ digest: String, width: Int) -> String { "\(thumbnails)/\(digest)-\(width)" }

    /// The whole digest that an id is half of.
    func digest(of id: ImageID) -> String? {
        let half = id.value.hexadecimal
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder(half))) ?? []
        return names.filter { $0.hasPrefix(half) && Self.isDigest($0) }.min()
    }

    /// Lets a picture count as unused from now on at the earliest.
    ///
    /// - Returns: false where there is none any more.
    func touch(_ digest: String, at now: Instant) -> Bool {
        ages.withLock { _ in setTime(of: digest, now) }
    }

    /// Only while ``ages`` is locked.
    func setTime(of digest: String, _ time: Instant) -> Bool {
        let seconds = Double(time.microseconds) / 1_000_000
        let attributes: [FileAttributeKey: Any] = [.modificationDate: Date(timeIntervalSince1970: seconds)]
        return (try? FileManager.default.setAttributes(attributes, ofItemAtPath: path(digest))) != nil
    }

    static func isDigest(_ name: String) -> Bool {
        name.utf8.count == 64 && name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    func original(_ digest: String) -> ShownImage? {
        shown(path(digest), tag: digest)
    }

    /// A thumbnail that was made before, or the picture where that was found to be no wider.
    func made(_ digest: String, _ width: Int) -> ShownImage? {
        guard let data = FileManager.default.contents(atPath: path(digest, width: width)) else { return nil }
        let bytes = Array(data)
        if bytes == Self.noWider { return original(digest) }
        return ImageFormat(bytes).map { ShownImage(format: $0, bytes: bytes, tag: "\(digest)-\(width)") }
    }

    /// The file of a thumbnail that a picture is too narrow for. It is no empty file, which a power cut may leave of any.
    private static let noWider = Array("no wider".utf8)

    /// Makes a thumbnail and keeps it; that it cannot be kept is no reason not to show it.
    ///
    /// That a picture is no wider is kept as well, so that a child has to find that out once only. A file is flushed before it has its
    /// name: one that a power cut had cut off would be shown as it is.
    func thumbnail(_ digest: String, _ width: Int) throws(ImageError) -> ShownImage? {
        if let made = made(digest, width) { return made }
        guard let original = original(digest) else { return nil }
        let answer: PictureAnswer
        do throws(ImageError) { answer = try pool.child(original.bytes, width: width) } catch {
            guard error == .unsupported || error == .tooLarge else { throw error }
            throw .failed("no thumbnail can be made of \(digest)")
        }
        try? FileManager.default.createDirectory(atPath: thumbnails, withIntermediateDirectories: true)
        let file = answer.verdict == .made ? answer.file : Self.noWider
        try? DurableFile.replace(path(digest, width: width), with: file)
        // The picture may have been removed meanwhile, with the thumbnails that it had.
        guard FileManager.default.fileExists(atPath: path(digest)) else {
            removeThumbnails(of: digest)
            return nil
        }
        guard answer.verdict == .made, let format = ImageFormat(answer.file) else { return original }
        return ShownImage(format: format, bytes: answer.file, tag: "\(digest)-\(width)")
    }

    private func shown(_ path: String, tag: String) -> ShownImage? {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        let bytes = Array(data)
        return ImageFormat(bytes).map { ShownImage(format: $0, bytes: bytes, tag: tag) }
    }
}

extension ImageID {
    /// The first half of a picture's digest.
    init(digest: [UInt8]) {
        self.init(digest.prefix(16).reduce(0) { $0 << 8 | UInt128($1) })
    }
}

extension UInt128 {
    /// 32 digits.
    var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }
}

extension [UInt8] {
    var hexadecimal: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
