internal import CGD

/// A picture's size and orientation, read by the library that will decode it.
///
/// An attacker could make a file in which a parser of our own finds a smaller size than the decoder, which then allocates too much.
struct PictureHeader: Hashable {
    let format: ImageFormat
    let width: Int
    let height: Int
    var orientation = Orientation.upright

    init(_ format: ImageFormat, width: Int, height: Int, orientation: Int = Orientation.upright) throws(ImageError) {
        (self.format, self.width, self.height, self.orientation) = (format, width, height, orientation)
        guard width > 0, height > 0 else { throw .unsupported }
        guard max(width, height) <= ImageLimits.sidePixelsMax, width * height <= ImageLimits.pixelsMax else { throw .tooLarge }
    }

    /// Animations are unsupported. Libwebp rejects a canvas whose size is not the picture's.
    static func webp(_ file: [UInt8]) throws(ImageError) -> PictureHeader {
        var features = WebPBitstreamFeatures()
        let status = unsafe WebPGetFeatures(file, file.count, &features)
        guard status == VP8_STATUS_OK, features.has_animation == 0 else { throw .unsupported }
        let orientation = exif(ofWebP: file).map { Orientation.find(inExif: $0) } ?? Orientation.upright
        return try PictureHeader(.webp, width: Int(features.width), height: Int(features.height), orientation: orientation)
    }

    private static func exif(ofWebP file: [UInt8]) -> [UInt8]? {
        // SAFETY: the demuxer and its iterator are deleted before the array is released.
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

    /// Reads all chunks, because the orientation may follow the pixels. A bad file ends the process.
    static func png(_ file: [UInt8]) throws(ImageError) -> PictureHeader {
        // SAFETY: libpng reads only `reading`, which points into `copy`; the defer frees all.
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

    private static func passOverChunks(_ png: OpaquePointer, _ reading: UnsafeMutablePointer<PNGReading>) {
        unsafe png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nil, -1)
        unsafe png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, Array("IDAT\u{0}eXIf\u{0}".utf8), 2)
        // A chunk may be larger than libpng's default.
        unsafe png_set_chunk_malloc_max(png, ImageLimits.keptBytesMax)
        unsafe png_set_read_user_chunk_fn(png, reading, lookAtChunk)
    }
}

@unsafe private struct PNGReading {
    var left: Slice<UnsafeRawBufferPointer>
    /// From the first `eXIf` chunk.
    var orientation: Int?
}

// SAFETY: libpng passes its reader, which is still allocated, and the ``PNGReading`` above.
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

/// The camera's orientation as in Exif: 1 is upright; from 5 on, rows and columns are swapped.
enum Orientation {
    static let upright = 1
    static let prefix = Array("Exif\u{0}\u{0}".utf8)

    private static let tag = 0x0112
    private static let shortType = 3
    private static let entryBytes = 12

    /// The orientation in the first directory of a block of Exif (Exif 2.3, 4.6.4), with or without its prefix.
    static func find(inExif block: some Sequence<UInt8>) -> Int {
        var bytes = Array(block.prefix(ImageLimits.exifBytesMax))
        if bytes.starts(with: prefix) { bytes.removeFirst(prefix.count) }
        let isLittle = bytes.starts(with: "II".utf8)
        guard isLittle || bytes.starts(with: "MM".utf8) else { return upright }
        func number(_ offset: Int, _ count: Int) -> Int? {
            guard offset <= bytes.count - count else { return nil }
            return (0..<count).reduce(0) { $0 << 8 | Int(bytes[offset + (isLittle ? count - 1 - $1 : $1)]) }
        }
        guard number(2, 2) == 42, let directory = number(4, 4), let entries = number(directory, 2) else { return upright }
        for index in 0..<entries {
            let entry = directory + 2 + index * entryBytes
            guard let found = number(entry, 2) else { return upright }
            guard found == tag else { continue }
            guard number(entry + 2, 2) == shortType, let value = number(entry + 8, 2), (1...8).contains(value) else { return upright }
            return value
        }
        return upright
    }
}
