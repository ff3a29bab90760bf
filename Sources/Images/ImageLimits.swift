/// The named limits of this target, each with its unit and its reason.
public enum ImageLimits {
    /// A file as it is sent, in bytes: what phones make of a photo of 24 million pixels.
    public static let fileBytesMax = 8 << 20
    /// A picture's longer side as it is sent, in pixels.
    static let sidePixelsMax = 16_384
    /// All its pixels. Decoded they take four bytes each, and one picture is decoded at a time: 100 MB for a moment.
    static let pixelsMax = 25_000_000
    /// A picture's longer side as it is kept, in pixels: more than any phone shows.
    static let keptSidePixelsMax = 2_048
    /// Widths of thumbnails, in pixels; whoever asks for another gets the next larger one.
    public static let thumbnailWidths = [160, 320, 640, 1_280]
    /// Pictures that wait to be decoded. Each holds its file in memory; a second or two of work each is as long as anyone waits.
    static let waitingMax = 8
    /// How long a picture is kept that nothing refers to, in seconds: a day to fill in a form.
    public static let unusedSecondsMax: Int64 = 86_400

    /// What compression may lose, of 100: nobody sees more.
    static let quality: Int32 = 85
    /// How hard lossless compression tries, of 9.
    static let effort: Int32 = 6
}
