/// What a picture's file says of it before a pixel is decoded: nothing else may decide whether that is worth trying.
struct ImageHeader: Hashable {
    let format: ImageFormat
    let width: Int
    let height: Int
    /// How the camera was held, 1 to 8 as Exif counts; 1 is upright.
    var orientation = 1

    /// - Throws: ``ImageError/unsupported`` for no picture, an animation, or one without size; ``ImageError/tooLarge``.
    init(_ bytes: [UInt8]) throws(ImageError) {
        guard bytes.count <= ImageLimits.fileBytesMax else { throw .tooLarge }
        guard let format = ImageFormat(bytes) else { throw .unsupported }
        let file = ByteReader(bytes)
        let found =
            switch format {
            case .jpeg: Self.jpeg(file)
            case .png: Self.png(file)
            case .webp: Self.webp(file)
            }
        guard let found, found.width > 0, found.height > 0 else { throw .unsupported }
        self = found
        guard max(width, height) <= ImageLimits.sidePixelsMax, width * height <= ImageLimits.pixelsMax else { throw .tooLarge }
    }

    init(_ format: ImageFormat, width: Int, height: Int, orientation: Int = 1) {
        (self.format, self.width, self.height, self.orientation) = (format, width, height, orientation)
    }
}
