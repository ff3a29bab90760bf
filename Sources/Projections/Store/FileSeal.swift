internal import Foundation
internal import LMDB

/// A checksum of a generation's whole file, valid while no process has the file open for writing.
///
/// LMDB pages have no checksum. A comparison of the rows with a replay detects every change that a reader could see. The checksum of the
/// file, called its seal, also detects a changed byte in free pages, in the unused rest of a page and in headers. The seal is stored when
/// the model is closed, and removed before the file is next changed. So a generation that a server has open has no seal.
///
/// The rebuild tool compares the content with a replay and then stores the checksum. The server, to which the generation is handed over,
/// only verifies this checksum by one sequential read, which takes less time than hashing all rows.
package struct FileSeal: Sendable {
    private let path: String
    private let data: String

    /// Creates a value for the checksum of a generation's file, without reading or writing anything.
    ///
    /// - Parameter file: the name of the generation's file.
    package init(in directory: String, file: String = ModelFolder.lmdbFile) {
        path = directory + "/seal"
        data = directory + "/" + file
    }

    /// Removes the stored checksum. MUST be called before anything in the file can change.
    ///
    /// - Throws: an error if the checksum could not be removed. In that case the caller must not change the file, because the checksum
    ///   would no longer match.
    package func remove() throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        try FileManager.default.removeItem(atPath: path)
    }

    /// Computes the file's checksum and stores it. Call it only after the last change was flushed. It does nothing for a file that cannot
    /// be opened, and for a file of more than `bytesMax` bytes, so that closing does not take long.
    ///
    /// - Parameter bytesMax: the maximum size of a file of which a checksum is stored.
    /// - Throws: an error if the file cannot be read to its end, or the checksum cannot be stored.
    package func write(bytesMax: Int = ProjectionLimits.sealedBytesMax) throws {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: data), let size = attributes[.size] as? Int,
            size <= bytesMax, let checksum = try checksum()
        else { return }
        try Data(Self.text(checksum).utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    /// Whether the file is unchanged since its checksum was stored. The value is also true if no checksum is stored, or if the file cannot
    /// be opened. It is false if the opened file cannot be read to its end.
    package var holds: Bool {
        guard let sealed = stored else { return true }
        do {
            guard let checksum = try checksum() else { return true }
            // A process may have opened the file for writing meanwhile. Such a process removes the stored checksum before it changes the
            // file, so a difference is a fault only if the stored checksum is still there.
            return Self.text(checksum) == sealed || stored != sealed
        } catch { return false }
    }

    /// The stored checksum, in 16 hexadecimal digits; nil if none is stored.
    package var text: String? { stored.map { String($0.dropLast()) } }

    /// Whether the stored checksum is equal to `text`, and the file has not changed since it was stored. False if the file cannot be read,
    /// or if `isStopping` has returned true before the file was read to its end.
    package func holds(as text: String, unless isStopping: () -> Bool = { false }) -> Bool {
        guard self.text == text, let checksum = try? checksum(unless: isStopping) else { return false }
        return Self.text(checksum) == text + "\n"
    }

    private var stored: String? {
        guard let bytes = FileManager.default.contents(atPath: path) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        // A stored checksum that is incomplete is ignored.
        return text.utf8.count == Self.text(0).utf8.count && text.hasSuffix("\n") ? text : nil
    }

    private static func text(_ checksum: UInt64) -> String {
        let digits = String(checksum, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits + "\n"
    }

    /// The FNV-1a hash over the file's words of eight bytes; nil if the file cannot be opened. Each step is a bijection, so that one
    /// changed word is always detected.
    ///
    /// - Throws: the error of a failed read, or `CancellationError` if `isStopping` has returned true. The bytes read before it are not the
    ///   whole file, so they have no checksum.
    private func checksum(unless isStopping: () -> Bool = { false }) throws -> UInt64? {
        guard let file = FileHandle(forReadingAtPath: data) else { return nil }
        defer { try? file.close() }
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        while let chunk = try file.read(upToCount: 1 << 20), !chunk.isEmpty {
            if isStopping() { throw CancellationError() }
            var bytes = [UInt8](chunk)
            while bytes.count % 8 != 0 { bytes.append(0) }
            let words = bytes.span
            for offset in stride(from: 0, to: words.count, by: 8) {
                hash = (hash ^ words.littleEndian64(at: offset)) &* 0x100_0000_01B3
            }
        }
        return hash
    }
}
