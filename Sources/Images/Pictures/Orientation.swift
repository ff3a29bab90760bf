/// The camera's orientation as in Exif: 1 is upright; from 5 on, rows and columns are swapped.
enum Orientation {
    static let upright = 1
    static let prefix = Array("Exif\u{0}\u{0}".utf8)

    private static let tag = 0x0112
    private static let shortType = 3
    private static let entryBytes = 12

    /// The orientation in the first directory of a block of Exif (Exif 2.3, 4.6.4), with or without its prefix.
    static func find(inExif block: some Sequence<UInt8>) -> Int {
        var bytes = Array(block.prefix(ImageLimits.exifBytesMax))
        if bytes.starts(with: prefix) { bytes.removeFirst(prefix.count) }
        let isLittle = bytes.starts(with: "II".utf8)
        guard isLittle || bytes.starts(with: "MM".utf8) else { return upright }
        func number(_ offset: Int, _ count: Int) -> Int? {
            guard offset <= bytes.count - count else { return nil }
            return (0..<count).reduce(0) { $0 << 8 | Int(bytes[offset + (isLittle ? count - 1 - $1 : $1)]) }
        }
        guard number(2, 2) == 42, let directory = number(4, 4), let entries = number(directory, 2) else { return upright }
        for index in 0..<entries {
            let entry = directory + 2 + index * entryBytes
            guard let found = number(entry, 2) else { return upright }
            guard found == tag else { continue }
            guard number(entry + 2, 2) == shortType, let value = number(entry + 8, 2), (1...8).contains(value) else { return upright }
            return value
        }
        return upright
    }
}
