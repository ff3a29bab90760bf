extension ImageHeader {
    /// Markers without a length behind them: TEM, RST0 to RST7, SOI.
    private static let bare: Set<Int> = Set(0xD0...0xD8).union([0x01])
    /// Those that begin a frame and say its size: SOF0 to SOF15 without DHT, JPG and DAC (ITU-T T.81, table B.1).
    private static let frames: Set<Int> = Set(0xC0...0xCF).subtracting([0xC4, 0xC8, 0xCC])

    /// From the segments that stand before the picture itself.
    static func jpeg(_ file: ByteReader) -> ImageHeader? {
        var (offset, orientation) = (2, 1)
        while let marker = file.byte(offset), marker == 0xFF, let kind = file.byte(offset + 1) {
            if kind == 0xFF {
                offset += 1
            } else if bare.contains(kind) {
                offset += 2
            } else {
                // SOS and EOI: the frame should have come before.
                guard kind != 0xDA, kind != 0xD9, let length = file.big(offset + 2, 2), length >= 2 else { return nil }
                if frames.contains(kind) { return frame(file, at: offset + 4, orientation) }
                if kind == 0xE1, file.has("Exif\u{0}\u{0}", at: offset + 4) { orientation = exifOrientation(file, at: offset + 10) }
                offset += 2 + length
            }
        }
        return nil
    }

    private static func frame(_ file: ByteReader, at offset: Int, _ orientation: Int) -> ImageHeader? {
        guard let height = file.big(offset + 1, 2), let width = file.big(offset + 3, 2) else { return nil }
        return ImageHeader(.jpeg, width: width, height: height, orientation: orientation)
    }
}
