extension ImageHeader {
    /// From the first chunk, and from the one with Exif's fields where there is one (PNG specification, third edition).
    static func png(_ file: ByteReader) -> ImageHeader? {
        guard file.has("IHDR", at: 12), let width = file.big(16, 4), let height = file.big(20, 4) else { return nil }
        var header = ImageHeader(.png, width: width, height: height)
        var offset = 8
        while let length = file.big(offset, 4), !file.has("IEND", at: offset + 4) {
            if file.has("eXIf", at: offset + 4) { header.orientation = exifOrientation(file, at: offset + 8) }
            // Length, name, content, checksum.
            offset += 12 + length
        }
        return header
    }
}
