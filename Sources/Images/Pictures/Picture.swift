internal import CGD

/// Pixels in memory, decoded and encoded by libgd. This is the only file that speaks to it.
///
/// A picture belongs to one thread at a time. Nothing but pixels gets in: whatever else a file said is left behind.
@safe final class Picture {
    private let image: gdImagePtr

    // SAFETY: every picture that libgd made is handed to exactly one `Picture`, which frees it when the last reference goes. No
    // pointer into it leaves this file; coordinates are within its size, and libgd checks them as well.
    private init?(_ image: gdImagePtr?) {
        guard let image = unsafe image else { return nil }
        unsafe self.image = image
    }

    deinit { unsafe gdImageDestroy(image) }

    var width: Int { Int(unsafe image.pointee.sx) }
    var height: Int { Int(unsafe image.pointee.sy) }

    /// libgd writes what it thinks of a file to standard error, for anybody who sends one.
    private static let silence: Void = unsafe gdSetErrorMethod { _, _, _ in }

    /// Decodes a file.
    ///
    /// - Parameter header: what its header said; a file that decodes to another size is refused.
    init?(_ bytes: [UInt8], as header: ImageHeader) {
        _ = Self.silence
        guard let size = Int32(exactly: bytes.count) else { return nil }
        var bytes = bytes
        // SAFETY: libgd reads `size` bytes of the buffer during the call, changes none and keeps none; the buffer is ours alone.
        let decoded = unsafe bytes.withUnsafeMutableBytes { buffer in
            switch header.format {
            case .jpeg: unsafe gdImageCreateFromJpegPtrEx(size, buffer.baseAddress, 0)
            case .png: unsafe gdImageCreateFromPngPtr(size, buffer.baseAddress)
            case .webp: unsafe gdImageCreateFromWebpPtr(size, buffer.baseAddress)
            }
        }
        guard let decoded = unsafe decoded else { return nil }
        unsafe image = decoded
        guard width == header.width, height == header.height, unsafe gdImagePaletteToTrueColor(image) != 0 else { return nil }
    }

    /// The picture in a smaller size; nil when memory ran out.
    func scaled(width: Int, height: Int) -> Picture? {
        guard let scaled = Picture.blank(width: width, height: height) else { return nil }
        unsafe gdImageCopyResampled(
            scaled.image, image, 0, 0, 0, 0, Int32(width), Int32(height), Int32(self.width), Int32(self.height))
        return scaled
    }

    /// The picture as it was meant to be looked at.
    ///
    /// - Parameter orientation: 1 to 8 as Exif counts: from 5 on, rows and columns are swapped first.
    func upright(_ orientation: Int) -> Picture? {
        guard let upright = orientation > 4 ? transposed() : self else { return nil }
        switch orientation {
        case 2, 6: unsafe gdImageFlipHorizontal(upright.image)
        case 3, 7: unsafe gdImageFlipBoth(upright.image)
        case 4, 8: unsafe gdImageFlipVertical(upright.image)
        default: break
        }
        return upright
    }

    /// The picture as a file; nil when memory ran out.
    func encoded(as format: ImageFormat) -> [UInt8]? {
        unsafe gdImageSaveAlpha(image, 1)
        var size: Int32 = 0
        let file =
            switch format {
            case .jpeg: unsafe gdImageJpegPtr(image, &size, ImageLimits.quality)
            case .png: unsafe gdImagePngPtrEx(image, &size, ImageLimits.effort)
            case .webp: unsafe gdImageWebpPtrEx(image, &size, ImageLimits.quality)
            }
        guard let file = unsafe file else { return nil }
        // SAFETY: libgd gave us `size` bytes, which are ours to free; they are copied before.
        defer { unsafe gdFree(file) }
        return unsafe Array(UnsafeRawBufferPointer(start: file, count: Int(size)))
    }

    /// The colour of a pixel as libgd has it: seven bits of transparency, then red, green and blue.
    func color(x: Int, y: Int) -> Int {
        Int(unsafe gdImageGetTrueColorPixel(image, Int32(x), Int32(y)))
    }

    /// A picture without anything on it, see-through.
    static func blank(width: Int, height: Int) -> Picture? {
        guard let blank = unsafe Picture(gdImageCreateTrueColor(Int32(width), Int32(height))) else { return nil }
        // What is drawn replaces what was there, its transparency included.
        unsafe gdImageAlphaBlending(blank.image, 0)
        return blank
    }

    /// Draws one pixel; for making pictures to test with.
    func draw(_ color: Int, x: Int, y: Int) {
        unsafe gdImageSetPixel(image, Int32(x), Int32(y), Int32(color))
    }

    private func transposed() -> Picture? {
        guard let turned = Picture.blank(width: height, height: width) else { return nil }
        for y in 0..<height {
            for x in 0..<width { turned.draw(color(x: x, y: y), x: y, y: x) }
        }
        return turned
    }
}
