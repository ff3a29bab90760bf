/// The answer of a child process to the service: a verdict and, depending on the job, the size and the file of a picture, or the content of
/// a code.
///
/// The service checks the verdict, all lengths, and the first bytes of the file, because a malicious file may have taken over the decoder
/// that wrote the answer.
struct PictureAnswer: Equatable {
    enum Verdict: UInt8 {
        case made = 1
        /// No thumbnail was made, because the picture is no wider than the thumbnail would be.
        case isNoWider = 2
        case unsupported = 3
        case tooLarge = 4
        /// The content of a QR code was read.
        case read = 5
        /// No code was found.
        case hasNoCode = 6
    }

    let verdict: Verdict
    private(set) var width = 0
    private(set) var height = 0
    private(set) var file: [UInt8] = []
    /// The content of a QR code; empty if the answer has none.
    private(set) var content = ""

    /// The number of bytes before the picture's file: the verdict, and then the width and height in big-endian order.
    private static let headBytes = 9
    static let bytesMax = headBytes + ImageLimits.keptBytesMax

    /// Creates an answer without a picture.
    init(_ verdict: Verdict) { self.verdict = verdict }

    /// Creates an answer with a picture.
    ///
    /// - Throws: ``ImageError/failed(_:)`` if the picture cannot be encoded within the maximum size of a stored picture.
    init(_ picture: Picture, as format: ImageFormat) throws(ImageError) {
        self.init(.made)
        guard let file = picture.encoded(as: format), file.count <= ImageLimits.keptBytesMax else {
            throw .failed("a picture did not encode")
        }
        (width, height, self.file) = (picture.width, picture.height, file)
    }

    /// Creates an answer with the content of a QR code.
    init(content: String) {
        self.init(.read)
        self.content = content
    }

    var bytes: [UInt8] {
        if verdict == .read { return [verdict.rawValue] + Array(content.utf8) }
        guard verdict == .made else { return [verdict.rawValue] }
        return [verdict.rawValue] + Self.number(width) + Self.number(height) + file
    }

    /// Parses an answer.
    ///
    /// - Returns: nil if the answer is not valid: it has an unknown verdict, is incomplete, is too large, or has a file or text of the
    ///   wrong format.
    init?(_ bytes: [UInt8]) {
        guard let verdict = bytes.first.flatMap({ Verdict(rawValue: $0) }) else { return nil }
        self.verdict = verdict
        if verdict == .read {
            guard (1...ImageLimits.codeBytesMax).contains(bytes.count - 1),
                let content = String(validating: bytes.dropFirst(), as: UTF8.self)
            else { return nil }
            self.content = content
            return
        }
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
