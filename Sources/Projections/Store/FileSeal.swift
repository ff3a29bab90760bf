internal import Foundation
internal import LMDB

/// A checksum of a generation's whole file, stored when it is closed and removed before the file changes.
///
/// LMDB pages have no checksum. The rebuild tool compares rows and seals the file; the server verifies the seal, which is faster.
package struct FileSeal: Sendable {
    private let path: String
    private let data: String

    package init(in directory: String, file: String = ModelFolder.lmdbFile) {
        path = directory + "/seal"
        data = directory + "/" + file
    }

    /// Removes the stored checksum. MUST be called before anything in the file can change; after a throw, the file MUST NOT change.
    package func remove() throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        try FileManager.default.removeItem(atPath: path)
    }

    /// Computes and stores the checksum, after the last change was flushed. Does nothing for a missing or too large file.
    package func write(bytesMax: Int = ProjectionLimits.sealedBytesMax) throws {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: data), let size = attributes[.size] as? Int,
            size <= bytesMax, let checksum = try checksum()
        else { return }
        try Data(Self.text(checksum).utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    /// Whether the file matches its checksum. True without a checksum or a file; false if the file cannot be read to its end.
    package var holds: Bool {
        guard let sealed = stored else { return true }
        do {
            guard let checksum = try checksum() else { return true }
            // A process that opened the file meanwhile removed the checksum first, so only a difference from a present one is a fault.
            return Self.text(checksum) == sealed || stored != sealed
        } catch { return false }
    }

    package var text: String? { stored.map { String($0.dropLast()) } }

    /// Whether the file matches `text`, its stored checksum. False if it cannot be read, or `isStopping` has returned true.
    package func holds(as text: String, unless isStopping: () -> Bool = { false }) -> Bool {
        guard self.text == text, let checksum = try? checksum(unless: isStopping) else { return false }
        return Self.text(checksum) == text + "\n"
    }

    private var stored: String? {
        guard let bytes = FileManager.default.contents(atPath: path) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        return text.utf8.count == Self.text(0).utf8.count && text.hasSuffix("\n") ? text : nil
    }

    private static func text(_ checksum: UInt64) -> String {
        let digits = String(checksum, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits + "\n"
    }

    /// The FNV-1a hash over words of eight bytes; nil for a missing file. Each step is a bijection, so one changed word is always detected.
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
