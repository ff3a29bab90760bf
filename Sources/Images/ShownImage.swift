internal import LMDB

/// A picture or one of its thumbnails, whose bytes are read when they are needed.
///
/// The bytes are in an open file, so that many slow readers of large pictures need little memory. They can be read even after the picture
/// was removed. The file is closed with the last copy of this value. ``closed()`` needs no open file.
public struct ShownImage: Sendable {
    private enum Content: Sendable {
        case file(PlainFile)
        case closedFile(path: String, count: Int)
        case memory([UInt8])
    }

    public let format: ImageFormat
    /// An entity tag for these bytes. It consists of the picture's file name and, for a thumbnail, its width.
    public let tag: String
    /// The name of the picture's file.
    public let name: ImageName
    private var content: Content

    /// The number of bytes.
    public var count: Int {
        switch content {
        case .file(let file): file.count
        case .closedFile(_, let count): count
        case .memory(let bytes): bytes.count
        }
    }

    /// Opens a file; nil if there is no such file, if it cannot be read, or if it does not begin like a picture.
    init?(path: String, tag: String, name: ImageName) {
        guard let file = try? PlainFile(path) else { return nil }
        var start: [UInt8] = []
        guard (try? file.read(min(file.count, ImageFormat.startBytes), at: 0, into: &start)) != nil else { return nil }
        guard let format = ImageFormat(start) else { return nil }
        (self.format, self.tag, self.name, content) = (format, tag, name, Content.file(file))
    }

    /// Creates a picture from bytes in memory; nil if they do not begin like a picture.
    init?(bytes: [UInt8], tag: String, name: ImageName) {
        guard let format = ImageFormat(bytes) else { return nil }
        (self.format, self.tag, self.name, content) = (format, tag, name, Content.memory(bytes))
    }

    /// The same picture without an open file. The file is opened again for each part that is read. That fails once the file was removed.
    public func closed() -> ShownImage {
        guard case .file(let file) = content else { return self }
        var copy = self
        copy.content = .closedFile(path: file.path, count: file.count)
        return copy
    }

    /// Reads a part of the bytes. Blocks.
    ///
    /// - Parameter range: MUST be within `0..<count`.
    /// - Throws: ``ImageError/failed(_:)`` if the file cannot be read.
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
