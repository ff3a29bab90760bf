internal import CGD

/// Pixels in memory, stored, scaled, rotated and encoded by libgd. Not thread-safe.
@safe final class Picture {
    private let image: gdImagePtr

    // SAFETY: one `Picture` owns each libgd image and frees it. No pointer into it leaves this file. Libgd checks coordinates.
    private init?(_ image: gdImagePtr?) {
        guard let image = unsafe image else { return nil }
        unsafe self.image = image
    }

    deinit { unsafe gdImageDestroy(image) }

    var width: Int { Int(unsafe image.pointee.sx) }
    var height: Int { Int(unsafe image.pointee.sy) }

    /// Decodes a file, with the pixels in its order. A bad file may end the process; see ``PictureChild/refuse(_:)``.
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
        // SAFETY: libgd only reads `size` bytes, only during the call.
        let picture = unsafe bytes.withUnsafeMutableBytes { unsafe Picture(decode(size, $0.baseAddress)) }
        guard let picture, picture.width == header.width, picture.height == header.height,
            unsafe gdImagePaletteToTrueColor(picture.image) != 0
        else { throw .unsupported }
        return (picture, header)
    }

    /// Converts a file into its stored form: upright, moderate in size, without other data.
    static func kept(_ bytes: [UInt8]) throws(ImageError) -> (Picture, ImageFormat) {
        let (decoded, header) = try decoded(bytes)
        guard let fitted = decoded.fitted(longerSide: ImageLimits.keptSidePixelsMax), let upright = fitted.upright(header.orientation)
        else { throw .failed("no memory for a picture of \(header.width) by \(header.height)") }
        return (upright, header.format)
    }

    /// Scaled so that no side is longer than `longerSide` pixels; nil if memory ran out.
    func fitted(longerSide: Int) -> Picture? {
        let longer = max(width, height)
        guard longer > longerSide else { return self }
        return scaled(width: max(1, width * longerSide / longer), height: max(1, height * longerSide / longer))
    }

    /// Scaled to this width, or unchanged if no wider; nil if memory ran out.
    func thumbnail(width: Int) -> Picture? {
        guard width < self.width else { return self }
        return scaled(width: width, height: max(1, height * width / self.width))
    }

    private func scaled(width: Int, height: Int) -> Picture? {
        guard let scaled = Picture.blank(width: width, height: height) else { return nil }
        unsafe gdImageCopyResampled(scaled.image, image, 0, 0, 0, 0, Int32(width), Int32(height), Int32(self.width), Int32(self.height))
        return scaled
    }

    /// The brightness of each pixel, row by row, on white.
    var grey: [UInt8]? {
        guard width > 0, height > 0 else { return nil }
        var grey = [UInt8](repeating: 0, count: width * height)
        unsafe grey.withUnsafeMutableBufferPointer { buffer in
            for y in 0..<height {
                // SAFETY: libgd has `height` rows of `width` pixels; the buffer has a byte for each.
                unsafe greentea_grey_row(image.pointee.tpixels[y], buffer.baseAddress! + y * width, Int32(width))
            }
        }
        return grey
    }

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
        // SAFETY: the `size` bytes are copied before they are freed.
        defer { unsafe gdFree(file) }
        return unsafe Array(UnsafeRawBufferPointer(start: file, count: Int(size)))
    }

    /// Libgd's form: seven bits of transparency, then red, green and blue.
    func color(x: Int, y: Int) -> Int { Int(unsafe gdImageGetTrueColorPixel(image, Int32(x), Int32(y))) }

    /// Black pixels; nil if memory ran out.
    static func blank(width: Int, height: Int) -> Picture? {
        guard let blank = unsafe Picture(gdImageCreateTrueColor(Int32(width), Int32(height))) else { return nil }
        // Drawn pixels replace existing ones, also their transparency.
        unsafe gdImageAlphaBlending(blank.image, 0)
        return blank
    }

    func draw(_ color: Int, x: Int, y: Int) { unsafe gdImageSetPixel(image, Int32(x), Int32(y), Int32(color)) }
}

/// For ``JPEGDecoder``, with the results of libgd's own decoder.
extension Picture {
    private static let centimetresPerInch = 2.54

    /// - Parameter unit: 1 for inches, 2 for centimetres (JFIF 1.02); others change nothing.
    func setResolution(density x: UInt16, _ y: UInt16, unit: UInt8) {
        switch unit {
        case 1: unsafe gdImageSetResolution(image, UInt32(x), UInt32(y))
        case 2:
            let (across, down) = (Double(x) * Self.centimetresPerInch + 0.5, Double(y) * Self.centimetresPerInch + 0.5)
            unsafe gdImageSetResolution(image, UInt32(across), UInt32(down))
        default: break
        }
    }

    /// - Parameter samples: red, green and blue, or four inks, per pixel.
    @unsafe func setRow(_ y: Int, _ samples: UnsafeMutableBufferPointer<UInt8>, hasInks: Bool, isInverted: Bool) {
        precondition(y < height && samples.count == width * (hasInks ? 4 : 3))
        // SAFETY: libgd has `height` rows of `width` pixels; the precondition checks the samples.
        unsafe greentea_set_row(image.pointee.tpixels[y], samples.baseAddress, Int32(width), hasInks ? 1 : 0, isInverted ? 1 : 0)
    }
}
