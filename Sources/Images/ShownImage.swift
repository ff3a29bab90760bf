internal import LMDB

/// A picture or thumbnail, read when needed from an open file.
///
/// Many slow readers so need little memory, and the bytes stay readable after the picture is removed. The last copy closes the file.
public struct ShownImage: Sendable {
    private enum Content: Sendable {
        case file(PlainFile)
        case closedFile(path: String, count: Int)
        case memory([UInt8])
    }

    public let format: ImageFormat
    /// The entity tag: the file name and, for a thumbnail, the width.
    public let tag: String
    public let name: ImageName
    private var content: Content

    /// In bytes.
    public var count: Int {
        switch content {
        case .file(let file): file.count
        case .closedFile(_, let count): count
        case .memory(let bytes): bytes.count
        }
    }

    init?(path: String, tag: String, name: ImageName) {
        guard let file = try? PlainFile(path) else { return nil }
        var start: [UInt8] = []
        guard (try? file.read(min(file.count, ImageFormat.startBytes), at: 0, into: &start)) != nil else { return nil }
        guard let format = ImageFormat(start) else { return nil }
        (self.format, self.tag, self.name, content) = (format, tag, name, Content.file(file))
    }

    init?(bytes: [UInt8], tag: String, name: ImageName) {
        guard let format = ImageFormat(bytes) else { return nil }
        (self.format, self.tag, self.name, content) = (format, tag, name, Content.memory(bytes))
    }

    /// The same picture without an open file: each read opens it again, and fails once it was removed.
    public func closed() -> ShownImage {
        guard case .file(let file) = content else { return self }
        var copy = self
        copy.content = .closedFile(path: file.path, count: file.count)
        return copy
    }

    /// Reads a part of the bytes, which MUST be within `0..<count`. Blocks.
    public func bytes(in range: Range<Int>) throws(ImageError) -> [UInt8] {
        do throws(LMDBError) {
            switch content {
            case .memory(let bytes): return Array(bytes[range])
            case .file(let file): return try Self.read(range, of: file)
            case .closedFile(let path, _): return try Self.read(range, of: try PlainFile(path))
            }
        } catch {
            throw .failed("\(error)")
        }
    }

    private static func read(_ range: Range<Int>, of file: PlainFile) throws(LMDBError) -> [UInt8] {
        var bytes: [UInt8] = []
        try file.read(range.count, at: range.lowerBound, into: &bytes)
        return bytes
    }
}
