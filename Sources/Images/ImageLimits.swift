package import Caches

/// The limits on work with pictures, each with its unit and its reason.
public enum ImageLimits {
    /// The maximum size of an uploaded file, in bytes: a phone's photo of 24 million pixels fits.
    public static let fileBytesMax = 8 << 20
    /// The maximum length of the longer side of an uploaded picture, in pixels.
    static let sidePixelsMax = 16_384
    /// The maximum number of pixels of an uploaded picture. Each pixel takes four bytes when decoded.
    static let pixelsMax = 25_000_000
    /// The maximum number of scans of a JPEG. Files of cameras and programs have about a dozen. For each scan, the decoder processes the
    /// whole picture once.
    static let scansMax = 50
    /// The maximum number of bytes of Exif that are searched for the orientation: the maximum size of one JPEG segment.
    static let exifBytesMax = 65_533
    /// The maximum length of the longer side of a stored picture, in pixels: more pixels than any phone shows.
    static let keptSidePixelsMax = 2_048
    /// The maximum size of a stored picture, in bytes: a PNG of random noise in the largest size takes 16 MiB, plus the format's headers.
    static let keptBytesMax = 17 << 20
    /// Widths of thumbnails, in pixels. For another width, the service returns the thumbnail of the next larger width, or the picture
    /// itself if there is none.
    public static let thumbnailWidths = [160, 320, 640, 1_280]
    /// The number of seconds for which an uploaded picture is kept although nothing refers to it. In this day, the person can complete the
    /// form that will refer to it.
    public static let unusedSecondsMax: Int64 = 86_400

    /// The sizes in which a photo is searched for a QR code, one after the other until a code is found: the longer side in pixels. A larger
    /// photo is scaled down. At the first size, a QR code that is a tenth as wide as the photo has about four pixels for each of its
    /// modules, the small squares.
    static let scannedSidesPixels = [1_600, 800]
    /// The maximum size of a QR code's content, in bytes. The service's own codes have fewer than 150.
    public static let codeBytesMax = 512

    /// The maximum number of child processes that decode concurrently. If there are several processors, one stays free for other work.
    /// There are at most four children, because each may use as much memory as `childMemoryBytes`.
    static func childrenMax(processors: Int) -> Int { min(4, max(1, processors - 1)) }
    /// The maximum number of jobs of each kind that wait for a child process: new pictures, thumbnails, and photos of codes. The file of
    /// each waiting job is in memory.
    static let waitingMax = 24
    /// The maximum number of such jobs of one account.
    static let waitingPerAccountMax = 2
    /// The maximum number of milliseconds that a picture may wait for a child process. This is longer than `childMilliseconds`, so that a
    /// client whose turn is next is not refused because of somebody else's slow picture. Every answer comes within eight seconds.
    static let waitingMillisecondsMax = 4_500
    /// The maximum number of milliseconds from a child's start to its end. Its pauses (`ShortPauses`) leave at least two thirds of that
    /// time to the child, which suffices for any permitted picture.
    public static let childMilliseconds = 3_500
    /// The maximum number of seconds of processor time that a child may use. A picture of 25 million pixels takes up to two, in any format.
    /// A child that pauses reaches `childMilliseconds` first.
    static let childProcessorSeconds: UInt64 = 3
    /// The milliseconds of processor time with which a child that is killed at its deadline counts as one that used up its processor time:
    /// more than any permitted picture takes. Another attempt would end in the same way.
    static let enoughProcessorMilliseconds = 2_200
    /// The maximum number of bytes of address space that a child may use, in addition to its program. For a lossless WebP, libgd has the
    /// picture in memory three times.
    static let childMemoryBytes: UInt64 = 512 << 20

    /// The quality of encoded JPEG and WebP files, from 0 to 100. Higher values make no visible difference.
    static let quality: Int32 = 85
    /// The compression level of encoded PNG files, from 0 to 9. It affects the size and the time, not the pixels.
    static let effort: Int32 = 6
}

/// The shared queues of `Images`; see `PoolTerms`.
package enum ImagePools: String, CaseIterable {
    case jobs

    package var terms: PoolTerms {
        switch self {
        case .jobs:
            PoolTerms(
                "jobs of one kind that wait for a child process", in: ["Images/PicturePool.swift"], capacity: ImageLimits.waitingMax,
                perAccount: ImageLimits.waitingPerAccountMax, perAddress: ImageLimits.waitingMax / 2, displaced: .newest,
                test: "PoolTests.crowd")
        }
    }
}
