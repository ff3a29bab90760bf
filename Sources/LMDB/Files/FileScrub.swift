internal import CLMDB
internal import Glibc

/// Overwrites bytes that remain in an environment's file after they were deleted.
///
/// LMDB never overwrites a page in use, so deleted values remain in free pages and in the unused middle of others, where zeroing is
/// harmless.
public enum FileScrub {
    /// A remaining part of twice this length contains a whole fragment. If only less remains of a 32-byte key, 128 bits stay unknown.
    static let fragmentBytes = 8
    private static let chunkBytes = 1 << 20

    /// The offsets at which the secret, or only a part of it, may begin. The file may change later, so ``zero(_:at:in:)`` compares again.
    ///
    /// - Throws: ``LMDBError`` for a file that cannot be read.
    public static func places(of secret: [UInt8], in path: String) throws(LMDBError) -> [Int] {
        let descriptor = try Descriptor.open(path, O_RDONLY)
        defer { _ = close(descriptor) }
        let fragments = stride(from: 0, through: secret.count - fragmentBytes, by: fragmentBytes)
            .map { (start: $0, bytes: Array(secret[$0..<$0 + fragmentBytes])) }
        var places: Set<Int> = []
        var (chunk, begin) = (Array(repeating: UInt8(0), count: chunkBytes), 0)
        while true {
            let count = try Descriptor.read(descriptor, at: begin, into: &chunk, path)
            for fragment in fragments {
                for offset in offsets(of: fragment.bytes, in: chunk, count) { places.insert(begin + offset - fragment.start) }
            }
            guard count == chunkBytes else { break }
            // The chunks overlap, because a fragment may cross their border.
            begin += chunkBytes - (fragmentBytes - 1)
        }
        return places.sorted()
    }

    /// Zeroes the secret's remaining bytes at the offsets, and flushes the file.
    ///
    /// No transaction may be open, and the secret MUST be deleted: then no page in use refers to these bytes.
    ///
    /// - Throws: ``LMDBError``; a part of the secret may then be zeroed.
    public static func zero(_ secret: [UInt8], at places: [Int], in path: String) throws(LMDBError) {
        let descriptor = try Descriptor.open(path, O_RDWR)
        defer { _ = close(descriptor) }
        for place in places {
            let begin = max(place, 0)
            var bytes = Array(repeating: UInt8(0), count: secret.count - (begin - place))
            let count = try Descriptor.read(descriptor, at: begin, into: &bytes, path)
            for run in runs(of: secret[(begin - place)...], in: bytes[..<count]) {
                try write(zeros: run.count, descriptor, at: begin + run.lowerBound, path)
            }
        }
        guard fdatasync(descriptor) == 0 else { throw LMDBError(number: errno, call: "fdatasync", path: path) }
    }

    private static func runs(of secret: ArraySlice<UInt8>, in bytes: ArraySlice<UInt8>) -> [Range<Int>] {
        var (runs, begin): ([Range<Int>], Int?) = ([], nil)
        for (offset, pair) in zip(secret, bytes).enumerated() {
            if pair.0 == pair.1 {
                begin = begin ?? offset
            } else if let first = begin {
                runs.append(first..<offset)
                begin = nil
            }
        }
        if let begin { runs.append(begin..<min(secret.count, bytes.count)) }
        return runs.filter { $0.count >= fragmentBytes }
    }

    private static func offsets(of fragment: [UInt8], in chunk: [UInt8], _ count: Int) -> [Int] {
        var (offsets, from): ([Int], Int) = ([], 0)
        // SAFETY: both buffers live during the call, which reads within their counts.
        unsafe chunk.withUnsafeBytes { chunk in
            unsafe fragment.withUnsafeBytes { fragment in
                guard let base = chunk.baseAddress else { return }
                while from < count {
                    let found = unsafe clmdb_find(base + from, UInt(count - from), fragment.baseAddress, UInt(fragment.count))
                    guard found >= 0 else { return }
                    offsets.append(from + found)
                    from += found + 1
                }
            }
        }
        return offsets
    }

    private static func write(zeros count: Int, _ descriptor: Int32, at begin: Int, _ path: String) throws(LMDBError) {
        let zeros = Array(repeating: UInt8(0), count: count)
        var done = 0
        while done < count {
            // SAFETY: the call reads within the buffer.
            let written = unsafe zeros.withUnsafeBytes { bytes in
                unsafe pwrite(descriptor, bytes.baseAddress.map { unsafe $0 + done }, count - done, off_t(begin + done))
            }
            guard written > 0 || errno == EINTR else { throw LMDBError(number: errno, call: "pwrite", path: path) }
            done += max(written, 0)
        }
    }
}
