package import Caches

/// The limits on work with pictures.
public enum ImageLimits {
    /// A phone's photo of 24 million pixels fits.
    public static let fileBytesMax = 8 << 20
    static let sidePixelsMax = 16_384
    /// Each decoded pixel takes four bytes.
    static let pixelsMax = 25_000_000
    /// The decoder processes the whole picture once per scan.
    static let scansMax = 50
    /// The maximum size of one JPEG segment.
    static let exifBytesMax = 65_533
    static let keptSidePixelsMax = 2_048
    /// As a PNG, random noise takes 16 MiB, plus headers.
    static let keptBytesMax = 17 << 20
    /// In pixels. Another width gets the next larger one, or else the picture itself.
    public static let thumbnailWidths = [160, 320, 640, 1_280]
    /// Time to complete the form that will refer to the picture.
    public static let unusedSecondsMax: Int64 = 86_400

    /// Tried in turn until a QR code is found.
    static let scannedSidesPixels = [1_600, 800]
    public static let codeBytesMax = 512

    /// One processor stays free for other work; each child may use `childMemoryBytes`.
    static func childrenMax(processors: Int) -> Int { min(4, max(1, processors - 1)) }
    /// The file of each waiting job is in memory.
    static let waitingMax = 24
    static let waitingPerAccountMax = 2
    /// Longer than `childMilliseconds`, so that the next client in turn is not refused for another's slow picture.
    static let waitingMillisecondsMax = 4_500
    /// Two thirds remain without the pauses (`ShortPauses`), enough for any permitted picture.
    public static let childMilliseconds = 3_500
    static let childProcessorSeconds: UInt64 = 3
    /// More than any permitted picture takes: killed after this much, a child would fail again.
    static let enoughProcessorMilliseconds = 2_200
    /// Besides the program's own. For a lossless WebP, libgd has the picture in memory three times.
    static let childMemoryBytes: UInt64 = 512 << 20

    static let quality: Int32 = 85
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
