internal import CGD

/// Decodes a JPEG with libjpeg itself. Libgd, which decodes the other formats, does not limit the number of scans of a file.
///
/// The result has the same pixels as with libgd. If libjpeg cannot read a file, or warns about it, the process ends: see
/// ``PictureChild/refuse(_:)``. Libjpeg's alternative, a long jump over the callers' frames, is not permitted in Swift.
@safe final class JPEGDecoder {
    // SAFETY: all four are allocated until the decoder is released. Libjpeg has pointers between them, and to the file's bytes, to which
    // the decoder refers.
    private let info: UnsafeMutablePointer<jpeg_decompress_struct>
    private let errors = UnsafeMutablePointer<jpeg_error_mgr>.allocate(capacity: 1)
    private let progress = UnsafeMutablePointer<jpeg_progress_mgr>.allocate(capacity: 1)
    private let file: UnsafeMutableBufferPointer<UInt8>

    let header: PictureHeader

    /// Reads the file up to the first scan.
    ///
    /// - Throws: ``ImageError/unsupported``; ``ImageError/tooLarge``.
    init(_ bytes: [UInt8]) throws(ImageError) {
        unsafe info = .allocate(capacity: 1)
        unsafe info.initialize(to: jpeg_decompress_struct())
        unsafe progress.initialize(to: jpeg_progress_mgr())
        unsafe file = .allocate(capacity: bytes.count)
        _ = unsafe file.initialize(from: bytes)
        unsafe info.pointee.err = jpeg_std_error(errors)
        unsafe errors.pointee.error_exit = endOnError
        unsafe errors.pointee.emit_message = endOnWarning
        unsafe jpeg_CreateDecompress(info, JPEG_LIB_VERSION, MemoryLayout<jpeg_decompress_struct>.size)
        unsafe progress.pointee.progress_monitor = endOnManyScans
        unsafe info.pointee.progress = progress
        unsafe jpeg_mem_src(info, self.file.baseAddress, UInt(bytes.count))
        // Makes libjpeg store the two markers that contain Exif data and Adobe's flag for inverted inks.
        unsafe jpeg_save_markers(info, JPEG_APP0 + 1, UInt32(ImageLimits.exifBytesMax))
        unsafe jpeg_save_markers(info, JPEG_APP0 + 14, 256)
        unsafe jpeg_read_header(info, 1)
        let (width, height) = unsafe (Int(info.pointee.image_width), Int(info.pointee.image_height))
        let orientation = unsafe Self.orientation(info)
        header = try PictureHeader(.jpeg, width: width, height: height, orientation: orientation)
    }

    deinit {
        unsafe jpeg_destroy_decompress(info)
        unsafe info.deallocate()
        unsafe errors.deallocate()
        unsafe progress.deallocate()
        unsafe file.deallocate()
    }

    /// Decodes the pixels. Call it once.
    ///
    /// - Throws: ``ImageError/failed(_:)`` if memory ran out; ``ImageError/unsupported`` if libjpeg cannot convert the colours.
    func picture() throws(ImageError) -> Picture {
        guard let picture = Picture.blank(width: header.width, height: header.height) else { throw .failed("no memory for a picture") }
        unsafe picture.setResolution(density: info.pointee.X_density, info.pointee.Y_density, unit: info.pointee.density_unit)
        let hasInks = unsafe info.pointee.jpeg_color_space == JCS_CMYK || info.pointee.jpeg_color_space == JCS_YCCK
        let isInverted = hasInks && isAdobe
        unsafe info.pointee.out_color_space = hasInks ? JCS_CMYK : JCS_RGB
        unsafe jpeg_start_decompress(info)
        let samples = hasInks ? 4 : 3
        guard unsafe Int(info.pointee.output_components) == samples else { throw .unsupported }
        // SAFETY: each call of libjpeg writes one row of `width` pixels with `samples` samples each.
        let row = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: header.width * samples)
        defer { unsafe row.deallocate() }
        for y in 0..<header.height {
            var start = row.baseAddress
            unsafe jpeg_read_scanlines(info, &start, 1)
            unsafe picture.setRow(y, row, hasInks: hasInks, isInverted: isInverted)
        }
        unsafe jpeg_finish_decompress(info)
        return picture
    }

    /// The orientation from the first Exif segment. Further segments are ignored.
    private static func orientation(_ info: UnsafeMutablePointer<jpeg_decompress_struct>) -> Int {
        var marker = unsafe info.pointee.marker_list
        while let found = unsafe marker {
            let content = unsafe UnsafeBufferPointer(start: found.pointee.data, count: Int(found.pointee.data_length))
            if unsafe Int32(found.pointee.marker) == JPEG_APP0 + 1, unsafe content.starts(with: Orientation.prefix) {
                return unsafe Orientation.find(inExif: content)
            }
            unsafe marker = found.pointee.next
        }
        return Orientation.upright
    }

    /// Whether the file has Adobe's segment, in which case the values of the inks are stored inverted.
    private var isAdobe: Bool { unsafe info.pointee.saw_Adobe_marker != 0 }
}

// SAFETY: libjpeg calls these functions with the structures of a decoder that is still allocated. If they find a failure, they end the
// process and do not return into libjpeg.
private let endOnError: @convention(c) (j_common_ptr?) -> Void = { info in
    let isMemory = unsafe info.map { unsafe $0.pointee.err.pointee.msg_code == Int32(JERR_OUT_OF_MEMORY.rawValue) } ?? false
    PictureChild.refuse(isMemory ? .tooLarge : .unsupported)
}
private let endOnWarning: @convention(c) (j_common_ptr?, Int32) -> Void = { _, level in
    if level < 0 { PictureChild.refuse(.unsupported) }
}
/// Ends the process if the file has too many scans. Libjpeg calls this before each row of blocks, and so at least once in each scan.
private let endOnManyScans: @convention(c) (j_common_ptr?) -> Void = { info in
    let scans = unsafe info.map { info in
        unsafe info.withMemoryRebound(to: jpeg_decompress_struct.self, capacity: 1) { unsafe $0.pointee.input_scan_number }
    }
    if Int(scans ?? 0) > ImageLimits.scansMax { PictureChild.refuse(.tooLarge) }
}
