internal import Glibc

/// One region of this process's memory map, as in `/proc/self/maps` (proc(5)).
struct MappedRegion: Hashable {
    let addresses: Range<UInt>
    /// Empty for anonymous memory.
    let path: String

    static func around(_ address: UInt) -> MappedRegion? {
        for line in text().split(separator: UInt8(ascii: "\n")) {
            guard let region = MappedRegion(line: line), region.addresses.contains(address) else { continue }
            return region
        }
        return nil
    }

    private init?(line: ArraySlice<UInt8>) {
        let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5, omittingEmptySubsequences: true)
        guard let ends = fields.first?.split(separator: UInt8(ascii: "-")), ends.count == 2,
            let start = UInt(String(decoding: ends[0], as: UTF8.self), radix: 16),
            let end = UInt(String(decoding: ends[1], as: UTF8.self), radix: 16), start < end
        else { return nil }
        addresses = start..<end
        path = fields.count > 5 ? String(decoding: fields[5].drop { $0 == UInt8(ascii: " ") }, as: UTF8.self) : ""
    }

    private static func text() -> [UInt8] {
        guard let descriptor = try? Descriptor.open("/proc/self/maps", O_RDONLY) else { return [] }
        defer { _ = close(descriptor) }
        var text: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            // SAFETY: reads at most as many bytes as the array has.
            let count = unsafe read(descriptor, &piece, piece.count)
            guard count > 0 else { return text }
            text += piece[..<count]
        }
    }
}
