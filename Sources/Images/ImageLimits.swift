/// The named limits of this target, each with its unit and its reason.
public enum ImageLimits {
    /// A file as it is sent, in bytes: what phones make of a photo of 24 million pixels.
    public static let fileBytesMax = 8 << 20
    /// A picture's longer side as it is sent, in pixels.
    static let sidePixelsMax = 16_384
    /// All its pixels. Decoded they take four bytes each.
    static let pixelsMax = 25_000_000
    /// Scans of a JPEG. Cameras and programs make a dozen; each takes a walk through all blocks of the picture.
    static let scansMax = 50
    /// Bytes of Exif in which the orientation is searched: what fits in one segment of a JPEG.
    static let exifBytesMax = 65_533
    /// A picture's longer side as it is kept, in pixels: more than any phone shows.
    static let keptSidePixelsMax = 2_048
    /// A picture's file as it is kept, in bytes: noise of the largest size as a PNG is 16 MiB and its framing.
    static let keptBytesMax = 17 << 20
    /// Widths of thumbnails, in pixels. A request for another width gets the next larger one.
    public static let thumbnailWidths = [160, 320, 640, 1_280]
    /// How long a picture is kept that nothing refers to, in seconds: a day to fill in a form.
    public static let unusedSecondsMax: Int64 = 86_400

    /// Child processes that decode at once: one processor stays free for everybody else, and each may take `childMemoryBytes`.
    static func childrenMax(processors: Int) -> Int { min(4, max(1, processors - 1)) }
    /// New pictures that wait for a child, and as many thumbnails. Each holds its file in memory.
    static let waitingMax = 8
    /// How long a picture may wait for a child, in milliseconds. With `childMilliseconds` this keeps every answer below five seconds.
    static let waitingMillisecondsMax = 1_200
    /// How long a child may take by the clock, in milliseconds; more than the processor's seconds, since others use the processor, too.
    public static let childMilliseconds = 3_500
    /// How long a child may compute, in seconds of one processor: 25 million pixels take up to two, whatever their format.
    static let childProcessorSeconds: UInt64 = 3
    /// Address space that a child may add to what its program takes, in bytes: libgd holds a lossless WebP three times.
    static let childMemoryBytes: UInt64 = 512 << 20
    /// A child's niceness, beside its idle policy: it gets the processor time that nobody else wants. Where there is none for
    /// `childMilliseconds`, its picture is refused as busy.
    static let childNiceness: Int32 = 19

    /// The JPEG quality, of 100. Higher values show no difference.
    static let quality: Int32 = 85
    /// How hard lossless compression tries, of 9.
    static let effort: Int32 = 6
}
