internal import EventLog
internal import Foundation

/// A source of bytes that are read in chunks, so that a file of any length needs the memory of one.
protocol ByteSource {
    /// The next chunk; empty at the end.
    mutating func next() throws -> [UInt8]
}

/// A file as a source of bytes.
struct FileBytes: ByteSource {
    private let file: FileHandle
    /// 0 for a pipe.
    let length: Int

    init(path: String) throws(ImportError) {
        do { file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path)) } catch {
            throw .unreadable(path: path, reason: "\(FileFault(error))")
        }
        length = (try? file.seekToEnd()).map { Int(clamping: $0) } ?? 0
        try? file.seek(toOffset: 0)
    }

    func next() throws -> [UInt8] { Array(try file.read(upToCount: Limits.chunkBytes) ?? Data()) }
}

/// A source of bytes that reports how many bytes it has returned so far.
struct CountedBytes<Source: ByteSource>: ByteSource {
    private var source: Source
    private var count = 0
    private let tell: (Int) -> Void

    init(_ source: Source, tell: @escaping (Int) -> Void) { (self.source, self.tell) = (source, tell) }

    mutating func next() throws -> [UInt8] {
        let bytes = try source.next()
        count += bytes.count
        tell(count)
        return bytes
    }
}
