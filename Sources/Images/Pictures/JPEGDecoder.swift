internal import CGD

/// Decodes a JPEG with libjpeg itself, because libgd cannot limit the number of scans.
///
/// A failure ends the process (``PictureChild/refuse(_:)``): libjpeg's long jump must not cross Swift frames.
@safe final class JPEGDecoder {
    // SAFETY: all four are allocated until the decoder is released; libjpeg has pointers between them.
    private let info: UnsafeMutablePointer<jpeg_decompress_struct>
    private let errors = UnsafeMutablePointer<jpeg_error_mgr>.allocate(capacity: 1)
    private let progress = UnsafeMutablePointer<jpeg_progress_mgr>.allocate(capacity: 1)
    private let file: UnsafeMutableBufferPointer<UInt8>

    let header: PictureHeader

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
        // Exif, and Adobe's flag for inverted inks.
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
    func picture() throws(ImageError) -> Picture {
        guard let picture = Picture.blank(width: header.width, height: header.height) else { throw .failed("no memory for a picture") }
        unsafe picture.setResolution(density: info.pointee.X_density, info.pointee.Y_density, unit: info.pointee.density_unit)
        let hasInks = unsafe info.pointee.jpeg_color_space == JCS_CMYK || info.pointee.jpeg_color_space == JCS_YCCK
        let isInverted = hasInks && isAdobe
        unsafe info.pointee.out_color_space = hasInks ? JCS_CMYK : JCS_RGB
        unsafe jpeg_start_decompress(info)
        let samples = hasInks ? 4 : 3
        guard unsafe Int(info.pointee.output_components) == samples else { throw .unsupported }
        // SAFETY: each call writes one row of `width` pixels with `samples` samples.
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

    /// With Adobe's segment, inks are stored inverted.
    private var isAdobe: Bool { unsafe info.pointee.saw_Adobe_marker != 0 }
}

// SAFETY: libjpeg passes a decoder that is still allocated. On a failure the process ends.
private let endOnError: @convention(c) (j_common_ptr?) -> Void = { info in
    let isMemory = unsafe info.map { unsafe $0.pointee.err.pointee.msg_code == Int32(JERR_OUT_OF_MEMORY.rawValue) } ?? false
    PictureChild.refuse(isMemory ? .tooLarge : .unsupported)
}
private let endOnWarning: @convention(c) (j_common_ptr?, Int32) -> Void = { _, level in
    if level < 0 { PictureChild.refuse(.unsupported) }
}
/// Called before each row of blocks, so at least once per scan.
private let endOnManyScans: @convention(c) (j_common_ptr?) -> Void = { info in
    let scans = unsafe info.map { info in
        unsafe info.withMemoryRebound(to: jpeg_decompress_struct.self, capacity: 1) { unsafe $0.pointee.input_scan_number }
    }
    if Int(scans ?? 0) > ImageLimits.scansMax { PictureChild.refuse(.tooLarge) }
}
