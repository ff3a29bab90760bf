/// A child's answer as it crosses to the parent: a verdict, and of a picture its size and file.
///
/// The parent trusts none of it: a decoder that a file took over may have written it.
struct PictureAnswer: Equatable {
    enum Verdict: UInt8 {
        case made = 1
        /// The thumbnail would be no narrower than the picture.
        case isNoWider = 2
        case unsupported = 3
        case tooLarge = 4
    }

    let verdict: Verdict
    private(set) var width = 0
    private(set) var height = 0
    private(set) var file: [UInt8] = []

    /// Bytes before the file: the verdict, width and height, the most significant byte first.
    private static let headBytes = 9
    static let bytesMax = headBytes + ImageLimits.keptBytesMax

    /// An answer without a picture.
    init(_ verdict: Verdict) { self.verdict = verdict }

    /// - Throws: ``ImageError/failed(_:)`` where it cannot be encoded, or not within the bytes that are kept.
    init(_ picture: Picture, as format: ImageFormat) throws(ImageError) {
        self.init(.made)
        guard let file = picture.encoded(as: format), file.count <= ImageLimits.keptBytesMax else {
            throw .failed("a picture did not encode")
        }
        (width, height, self.file) = (picture.width, picture.height, file)
    }

    var bytes: [UInt8] {
        guard verdict == .made else { return [verdict.rawValue] }
        return [verdict.rawValue] + Self.number(width) + Self.number(height) + file
    }

    /// - Returns: nil for anything but a whole answer with a picture of a size that is kept.
    init?(_ bytes: [UInt8]) {
        guard let verdict = bytes.first.flatMap({ Verdict(rawValue: $0) }) else { return nil }
        self.verdict = verdict
        guard verdict == .made else {
            guard bytes.count == 1 else { return nil }
            return
        }
        guard bytes.count > Self.headBytes, bytes.count <= Self.bytesMax else { return nil }
        (width, height) = (Self.number(bytes[1..<5]), Self.number(bytes[5..<9]))
        let sides = 1...ImageLimits.keptSidePixelsMax
        guard sides.contains(width), sides.contains(height) else { return nil }
        file = Array(bytes[Self.headBytes...])
        guard ImageFormat(file) != nil else { return nil }
    }

    private static func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> (24 - 8 * $0) & 0xFF) } }
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}
