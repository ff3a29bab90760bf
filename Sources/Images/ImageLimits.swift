/// The named limits of this target, each with its unit and its reason.
public enum ImageLimits {
    /// The maximum size of an uploaded file, in bytes: a phone's photo of 24 million pixels fits.
    public static let fileBytesMax = 8 << 20
    /// The maximum length of the longer side of an uploaded picture, in pixels.
    static let sidePixelsMax = 16_384
    /// The maximum number of pixels of an uploaded picture. Each takes four bytes when decoded.
    static let pixelsMax = 25_000_000
    /// The maximum number of scans of a JPEG. Cameras and programs write about a dozen. Each scan takes a pass over the whole picture.
    static let scansMax = 50
    /// The maximum number of bytes of Exif that are searched for the orientation: as many as one JPEG segment can hold.
    static let exifBytesMax = 65_533
    /// The maximum length of the longer side of a stored picture, in pixels: more than any phone shows.
    static let keptSidePixelsMax = 2_048
    /// The maximum size of a stored picture, in bytes: random noise at the largest size is 16 MiB as a PNG, plus framing.
    static let keptBytesMax = 17 << 20
    /// Widths of thumbnails, in pixels. A request for another width gets the next larger one, or the picture itself if there is none.
    public static let thumbnailWidths = [160, 320, 640, 1_280]
    /// Seconds for which a picture is kept without a reference: a day to fill in a form.
    public static let unusedSecondsMax: Int64 = 86_400

    /// The longer sides, in pixels, at which a photo is searched for a code: at the first side, a QR code that is a tenth as wide as the
    /// photo has about four pixels for each of its modules.
    static let scannedSidesPixels = [1_600, 800]
    /// The maximum size of a code's content, in bytes. The service's own codes have fewer than 150.
    public static let codeBytesMax = 512

    /// The maximum number of child processes that decode concurrently. One processor stays free for other work, and each child may use
    /// `childMemoryBytes`.
    static func childrenMax(processors: Int) -> Int { min(4, max(1, processors - 1)) }
    /// The maximum number of new pictures that wait for a child, and also of thumbnails and of photos of codes. Each holds its file in
    /// memory.
    static let waitingMax = 8
    /// Milliseconds that a picture may wait for a child. Together with `childMilliseconds` this keeps every answer below five seconds.
    static let waitingMillisecondsMax = 1_200
    /// Milliseconds of wall-clock time that a child may take. They are more than its limit of processor time, because other work also uses
    /// the processor.
    public static let childMilliseconds = 3_500
    /// Seconds of processor time that a child may use: 25 million pixels take up to two, in any format.
    static let childProcessorSeconds: UInt64 = 3
    /// Bytes of address space that a child may use in addition to its program: libgd holds a lossless WebP three times.
    static let childMemoryBytes: UInt64 = 512 << 20
    /// A child's niceness, in addition to its idle policy: it gets only processor time that nothing else needs. If it gets none within
    /// `childMilliseconds`, its picture is rejected as busy.
    static let childNiceness: Int32 = 19

    /// The JPEG quality, from 0 to 100. Higher values make no visible difference.
    static let quality: Int32 = 85
    /// The effort of lossless compression, from 0 to 9.
    static let effort: Int32 = 6
}
