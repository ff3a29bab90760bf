extension ImageHeader {
    /// Bit of an extended file's flags that says it moves.
    private static let animation = 0x02

    /// From the chunks of the container (RFC 9649): the largest size that any of them names.
    static func webp(_ file: ByteReader) -> ImageHeader? {
        var (width, height, orientation, offset) = (0, 0, 1, 12)
        while let length = file.little(offset + 4, 4) {
            let content = offset + 8
            if file.has("VP8X", at: offset) {
                guard let flags = file.byte(content), flags & animation == 0 else { return nil }
            }
            if let size = size(file, at: offset) {
                (width, height) = (max(width, size.width), max(height, size.height))
            }
            if file.has("EXIF", at: offset) {
                orientation = exifOrientation(file, at: file.has("Exif\u{0}\u{0}", at: content) ? content + 6 : content)
            }
            offset = content + length + length % 2
        }
        return ImageHeader(.webp, width: width, height: height, orientation: orientation)
    }

    /// What one chunk says; nil for those that say nothing of it.
    private static func size(_ file: ByteReader, at offset: Int) -> (width: Int, height: Int)? {
        let content = offset + 8
        if file.has("VP8X", at: offset), let width = file.little(content + 4, 3), let height = file.little(content + 7, 3) {
            return (width + 1, height + 1)
        }
        if file.has("VP8L", at: offset), let bits = file.little(content + 1, 4) {
            return (bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
        }
        if file.has("VP8 ", at: offset), let width = file.little(content + 6, 2), let height = file.little(content + 8, 2) {
            return (width & 0x3FFF, height & 0x3FFF)
        }
        return nil
    }
}
