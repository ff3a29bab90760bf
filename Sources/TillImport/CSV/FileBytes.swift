internal import Foundation

/// A file as a source of bytes.
struct FileBytes: ByteSource {
    private let file: FileHandle

    /// - Throws: `ImportError.unreadable`.
    init(path: String) throws(ImportError) {
        do {
            file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        } catch {
            throw .unreadable(path: path, reason: error.localizedDescription)
        }
    }

    func next() throws -> [UInt8] {
        Array(try file.read(upToCount: Limits.chunkBytes) ?? Data())
    }
}
