internal import CGD

/// A picture's size and orientation before any pixel is decoded, read by the library that will decode it.
///
/// Our own code does not parse the size: an attacker can make a file in which two parsers find different sizes, and the decoder would then
/// allocate memory for the size that it finds.
struct PictureHeader: Hashable {
    let format: ImageFormat
    let width: Int
    let height: Int
    var orientation = Orientation.upright

    /// Creates a header.
    ///
    /// - Throws: ``ImageError/unsupported`` for a picture without size; ``ImageError/tooLarge``.
    init(_ format: ImageFormat, width: Int, height: Int, orientation: Int = Orientation.upright) throws(ImageError) {
        (self.format, self.width, self.height, self.orientation) = (format, width, height, orientation)
        guard width > 0, height > 0 else { throw .unsupported }
        guard max(width, height) <= ImageLimits.sidePixelsMax, width * height <= ImageLimits.pixelsMax else { throw .tooLarge }
    }

    /// Reads the header of a WebP. Libwebp itself rejects a file in which the canvas and the picture have different sizes.
    ///
    /// - Throws: ``ImageError/unsupported`` also for an animation.
    static func webp(_ file: [UInt8]) throws(ImageError) -> PictureHeader {
        var features = WebPBitstreamFeatures()
        let status = unsafe WebPGetFeatures(file, file.count, &features)
        guard status == VP8_STATUS_OK, features.has_animation == 0 else { throw .unsupported }
        let orientation = exif(ofWebP: file).map { Orientation.find(inExif: $0) } ?? Orientation.upright
        return try PictureHeader(.webp, width: Int(features.width), height: Int(features.height), orientation: orientation)
    }

    /// The first block of Exif data in a WebP file; nil if there is none.
    private static func exif(ofWebP file: [UInt8]) -> [UInt8]? {
        // SAFETY: the demuxer and its iterator point into the array, and both are deleted before the array is released.
        unsafe file.withUnsafeBufferPointer { buffer in
            var data = unsafe WebPData(bytes: buffer.baseAddress, size: buffer.count)
            guard let demuxer = unsafe WebPDemux(&data) else { return nil }
            defer { unsafe WebPDemuxDelete(demuxer) }
            var chunk = unsafe WebPChunkIterator()
            guard unsafe WebPDemuxGetChunk(demuxer, "EXIF", 1, &chunk) != 0 else { return nil }
            defer { unsafe WebPDemuxReleaseChunkIterator(&chunk) }
            return unsafe Array(UnsafeBufferPointer(start: chunk.chunk.bytes, count: min(chunk.chunk.size, ImageLimits.exifBytesMax)))
        }
    }

    /// Reads the header of a PNG, and finds the picture's orientation, which may be stored after the pixels.
    ///
    /// A file that libpng cannot read ends the process; see ``PictureChild/refuse(_:)``.
    static func png(_ file: [UInt8]) throws(ImageError) -> PictureHeader {
        // SAFETY: libpng reads only from `reading`, which points into `copy`; the defer frees everything that is allocated here.
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: file.count)
        _ = unsafe copy.initialize(from: file)
        let reading = UnsafeMutablePointer<PNGReading>.allocate(capacity: 1)
        unsafe reading.initialize(to: PNGReading(left: UnsafeRawBufferPointer(copy)[...]))
        var reader = unsafe png_create_read_struct(PNG_LIBPNG_VER_STRING, nil, endOnError, passOverWarning)
        var info = unsafe reader.flatMap { unsafe png_create_info_struct($0) }
        defer {
            unsafe png_destroy_read_struct(&reader, &info, nil)
            unsafe reading.deinitialize(count: 1)
            unsafe reading.deallocate()
            unsafe copy.deallocate()
        }
        guard let png = unsafe reader, let fields = unsafe info else { throw .failed("libpng cannot be set up") }
        unsafe png_set_read_fn(png, reading, takeBytes)
        unsafe passOverChunks(png, reading)
        unsafe png_read_info(png, fields)
        let (width, height) = unsafe (Int(png_get_image_width(png, fields)), Int(png_get_image_height(png, fields)))
        var header = try PictureHeader(.png, width: width, height: height)
        unsafe png_read_end(png, fields)
        if let orientation = unsafe reading.pointee.orientation { header.orientation = orientation }
        return header
    }

    /// Makes libpng pass the chunks of pixels, and optional chunks such as Exif, to ``lookAtChunk``, without decompressing or keeping them.
    private static func passOverChunks(_ png: OpaquePointer, _ reading: UnsafeMutablePointer<PNGReading>) {
        unsafe png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nil, -1)
        unsafe png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, Array("IDAT\u{0}eXIf\u{0}".utf8), 2)
        // A chunk may be as large as the whole file, which libpng's default limit does not permit.
        unsafe png_set_chunk_malloc_max(png, ImageLimits.keptBytesMax)
        unsafe png_set_read_user_chunk_fn(png, reading, lookAtChunk)
    }
}

/// The state of reading a PNG file with libpng.
@unsafe private struct PNGReading {
    var left: Slice<UnsafeRawBufferPointer>
    /// The orientation from the first `eXIf` chunk; later chunks are ignored.
    var orientation: Int?
}

// SAFETY: libpng calls these functions with its reader, which is still allocated, and with pointers to the ``PNGReading`` above.
private let endOnError: @convention(c) (OpaquePointer?, UnsafePointer<CChar>?) -> Void = { _, _ in PictureChild.refuse(.unsupported) }
private let passOverWarning: @convention(c) (OpaquePointer?, UnsafePointer<CChar>?) -> Void = { _, _ in }
private let takeBytes: @convention(c) (OpaquePointer?, UnsafeMutablePointer<UInt8>?, Int) -> Void = { png, target, count in
    guard let reading = unsafe png_get_io_ptr(png)?.assumingMemoryBound(to: PNGReading.self), let target = unsafe target,
        unsafe count <= reading.pointee.left.count
    else { PictureChild.refuse(.unsupported) }
    unsafe UnsafeMutableRawBufferPointer(start: target, count: count).copyBytes(from: reading.pointee.left.prefix(count))
    unsafe reading.pointee.left = reading.pointee.left.dropFirst(count)
}
private let lookAtChunk: @convention(c) (OpaquePointer?, UnsafeMutablePointer<png_unknown_chunk>?) -> Int32 = { png, chunk in
    guard let reading = unsafe png_get_user_chunk_ptr(png)?.assumingMemoryBound(to: PNGReading.self), let chunk = unsafe chunk?.pointee,
        unsafe reading.pointee.orientation == nil, unsafe chunk.name.0 == 0x65, unsafe chunk.name.1 == 0x58,
        unsafe chunk.name.2 == 0x49, unsafe chunk.name.3 == 0x66
    else { return 1 }
    let content = unsafe UnsafeBufferPointer(start: chunk.data, count: chunk.size)
    unsafe reading.pointee.orientation = Orientation.find(inExif: content)
    return 1
}
