internal import CGD

/// Pixels in memory. Libgd stores, scales, rotates and encodes them, and decodes PNG and WebP; ``JPEGDecoder`` decodes JPEG.
///
/// A picture belongs to one thread at a time. It contains only pixels and the resolution; everything else in a file is discarded.
@safe final class Picture {
    private let image: gdImagePtr

    // SAFETY: every image from libgd is passed to exactly one `Picture`, which frees the image when it is released. No pointer into the
    // image is used outside this source file. Coordinates are within the image's size, and libgd checks them as well.
    private init?(_ image: gdImagePtr?) {
        guard let image = unsafe image else { return nil }
        unsafe self.image = image
    }

    deinit { unsafe gdImageDestroy(image) }

    var width: Int { Int(unsafe image.pointee.sx) }
    var height: Int { Int(unsafe image.pointee.sy) }

    /// Decodes a file.
    ///
    /// - Returns: the pixels in the order of the file, and the file's header.
    /// - Throws: ``ImageError``. If a library cannot handle the file, the process may end; see ``PictureChild/refuse(_:)``.
    static func decoded(_ bytes: [UInt8]) throws(ImageError) -> (Picture, PictureHeader) {
        switch ImageFormat(bytes) {
        case .jpeg:
            let decoder = try JPEGDecoder(bytes)
            return (try decoder.picture(), decoder.header)
        case .png: return unsafe try decoded(bytes, as: PictureHeader.png(bytes)) { unsafe gdImageCreateFromPngPtr($0, $1) }
        case .webp: return unsafe try decoded(bytes, as: PictureHeader.webp(bytes)) { unsafe gdImageCreateFromWebpPtr($0, $1) }
        case nil: throw .unsupported
        }
    }

    private static func decoded(
        _ bytes: [UInt8], as header: PictureHeader, by decode: (Int32, UnsafeMutableRawPointer?) -> gdImagePtr?
    ) throws(ImageError) -> (Picture, PictureHeader) {
        guard let size = Int32(exactly: bytes.count) else { throw .tooLarge }
        var bytes = bytes
        // SAFETY: libgd only reads `size` bytes of the buffer, and only during the call. No other code has access to the buffer.
        let picture = unsafe bytes.withUnsafeMutableBytes { unsafe Picture(decode(size, $0.baseAddress)) }
        guard let picture, picture.width == header.width, picture.height == header.height,
            unsafe gdImagePaletteToTrueColor(picture.image) != 0
        else { throw .unsupported }
        return (picture, header)
    }

    /// Converts a file into the form in which it is stored: upright, of moderate size, and without other data, except perhaps the
    /// resolution.
    ///
    /// - Throws: the errors of ``decoded(_:)``; ``ImageError/failed(_:)`` if memory ran out.
    static func kept(_ bytes: [UInt8]) throws(ImageError) -> (Picture, ImageFormat) {
        let (decoded, header) = try decoded(bytes)
        guard let fitted = decoded.fitted(longerSide: ImageLimits.keptSidePixelsMax), let upright = fitted.upright(header.orientation)
        else { throw .failed("no memory for a picture of \(header.width) by \(header.height)") }
        return (upright, header.format)
    }

    /// The picture, scaled so that no side is longer than `longerSide` pixels; nil if memory ran out.
    func fitted(longerSide: Int) -> Picture? {
        let longer = max(width, height)
        guard longer > longerSide else { return self }
        return scaled(width: max(1, width * longerSide / longer), height: max(1, height * longerSide / longer))
    }

    /// The picture, scaled to the given width, or unchanged if it is no wider than that; nil if memory ran out.
    func thumbnail(width: Int) -> Picture? {
        guard width < self.width else { return self }
        return scaled(width: width, height: max(1, height * width / self.width))
    }

    /// The picture in a smaller size; nil if memory ran out.
    private func scaled(width: Int, height: Int) -> Picture? {
        guard let scaled = Picture.blank(width: width, height: height) else { return nil }
        unsafe gdImageCopyResampled(
            scaled.image, image, 0, 0, 0, 0, Int32(width), Int32(height), Int32(self.width), Int32(self.height))
        return scaled
    }

    /// The brightness of each pixel, row by row, with white behind transparent pixels; nil for an empty picture.
    var grey: [UInt8]? {
        guard width > 0, height > 0 else { return nil }
        var grey = [UInt8](repeating: 0, count: width * height)
        unsafe grey.withUnsafeMutableBufferPointer { buffer in
            for y in 0..<height {
                // SAFETY: libgd has `height` rows of `width` pixels, and the buffer has a byte for each pixel.
                unsafe greentea_grey_row(image.pointee.tpixels[y], buffer.baseAddress! + y * width, Int32(width))
            }
        }
        return grey
    }

    /// The picture in its upright orientation; nil if memory ran out.
    ///
    /// - Parameter orientation: 1 to 8 in Exif's numbering. From 5 on, rows and columns are swapped first.
    private func upright(_ orientation: Int) -> Picture? {
        guard let upright = orientation > 4 ? transposed() : self else { return nil }
        switch orientation {
        case 2, 6: unsafe gdImageFlipHorizontal(upright.image)
        case 3, 7: unsafe gdImageFlipBoth(upright.image)
        case 4, 8: unsafe gdImageFlipVertical(upright.image)
        default: break
        }
        return upright
    }

    private func transposed() -> Picture? {
        guard let turned = Picture.blank(width: height, height: width) else { return nil }
        for y in 0..<height {
            for x in 0..<width { turned.draw(color(x: x, y: y), x: y, y: x) }
        }
        return turned
    }

    /// The picture as a file; nil if memory ran out.
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
        // SAFETY: libgd returned `size` bytes, which the caller must free. They are copied into the array before they are freed.
        defer { unsafe gdFree(file) }
        return unsafe Array(UnsafeRawBufferPointer(start: file, count: Int(size)))
    }

    /// The colour of a pixel in libgd's form: seven bits of transparency, then red, green and blue.
    func color(x: Int, y: Int) -> Int {
        Int(unsafe gdImageGetTrueColorPixel(image, Int32(x), Int32(y)))
    }

    /// A picture of black pixels; nil if memory ran out.
    static func blank(width: Int, height: Int) -> Picture? {
        guard let blank = unsafe Picture(gdImageCreateTrueColor(Int32(width), Int32(height))) else { return nil }
        // Drawn pixels replace existing ones, including their transparency.
        unsafe gdImageAlphaBlending(blank.image, 0)
        return blank
    }

    /// Draws one pixel.
    func draw(_ color: Int, x: Int, y: Int) {
        unsafe gdImageSetPixel(image, Int32(x), Int32(y), Int32(color))
    }
}

/// Operations for ``JPEGDecoder``, which do the same as libgd's own decoder of JPEG.
extension Picture {
    private static let centimetresPerInch = 2.54

    /// Sets the picture's resolution to that of its file. The resolution is written into the stored file, unless the picture was scaled or
    /// rotated.
    ///
    /// - Parameter unit: 1 for pixels per inch, 2 for pixels per centimetre (JFIF 1.02). With any other unit, the resolution is not
    ///   changed.
    func setResolution(density x: UInt16, _ y: UInt16, unit: UInt8) {
        switch unit {
        case 1: unsafe gdImageSetResolution(image, UInt32(x), UInt32(y))
        case 2:
            let (across, down) = (Double(x) * Self.centimetresPerInch + 0.5, Double(y) * Self.centimetresPerInch + 0.5)
            unsafe gdImageSetResolution(image, UInt32(across), UInt32(down))
        default: break
        }
    }

    /// Sets a row of pixels from their samples.
    ///
    /// - Parameter samples: red, green and blue for each pixel, or four inks for each pixel.
    @unsafe func setRow(_ y: Int, _ samples: UnsafeMutableBufferPointer<UInt8>, hasInks: Bool, isInverted: Bool) {
        precondition(y < height && samples.count == width * (hasInks ? 4 : 3))
        // SAFETY: libgd has `height` rows of `width` pixels, and the precondition above checks the number of samples.
        unsafe greentea_set_row(image.pointee.tpixels[y], samples.baseAddress, Int32(width), hasInks ? 1 : 0, isInverted ? 1 : 0)
    }
}
