extension ImageHeader {
    private static let orientationTag = 0x0112
    private static let shortType = 3
    private static let entryBytes = 12

    /// How the camera was held, from the first directory of a TIFF file (Exif 2.3, 4.6.4); 1 where it does not say.
    static func exifOrientation(_ file: ByteReader, at start: Int) -> Int {
        let isLittle = file.has("II", at: start)
        guard isLittle || file.has("MM", at: start) else { return 1 }
        func number(_ offset: Int, _ count: Int) -> Int? {
            isLittle ? file.little(start + offset, count) : file.big(start + offset, count)
        }
        guard number(2, 2) == 42, let directory = number(4, 4), let entries = number(directory, 2) else { return 1 }
        for index in 0..<entries {
            let entry = directory + 2 + index * entryBytes
            guard let tag = number(entry, 2) else { return 1 }
            guard tag == orientationTag else { continue }
            guard number(entry + 2, 2) == shortType, let value = number(entry + 8, 2), (1...8).contains(value) else { return 1 }
            return value
        }
        return 1
    }
}
