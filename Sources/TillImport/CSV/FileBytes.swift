internal import EventLog
internal import Foundation

/// A file as a source of bytes.
struct FileBytes: ByteSource {
    private let file: FileHandle
    /// Bytes in all; 0 of a pipe, which does not say.
    let length: Int

    /// - Throws: `ImportError.unreadable`.
    init(path: String) throws(ImportError) {
        do {
            file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        } catch {
            throw .unreadable(path: path, reason: "\(FileFault(error))")
        }
        length = (try? file.seekToEnd()).map { Int(clamping: $0) } ?? 0
        try? file.seek(toOffset: 0)
    }

    func next() throws -> [UInt8] {
        Array(try file.read(upToCount: Limits.chunkBytes) ?? Data())
    }
}
