/// The answer of a child process: a verdict and perhaps a picture or a code's content.
///
/// The service checks all of it, because a malicious file may have taken over the decoder.
struct PictureAnswer: Equatable {
    enum Verdict: UInt8 {
        case made = 1
        case isNoWider = 2
        case unsupported = 3
        case tooLarge = 4
        case read = 5
        case hasNoCode = 6
    }

    let verdict: Verdict
    private(set) var width = 0
    private(set) var height = 0
    private(set) var file: [UInt8] = []
    private(set) var content = ""

    /// The verdict, then width and height in big-endian order.
    private static let headBytes = 9
    static let bytesMax = headBytes + ImageLimits.keptBytesMax

    init(_ verdict: Verdict) { self.verdict = verdict }

    init(_ picture: Picture, as format: ImageFormat) throws(ImageError) {
        self.init(.made)
        guard let file = picture.encoded(as: format), file.count <= ImageLimits.keptBytesMax else {
            throw .failed("a picture did not encode")
        }
        (width, height, self.file) = (picture.width, picture.height, file)
    }

    init(content: String) {
        self.init(.read)
        self.content = content
    }

    var bytes: [UInt8] {
        if verdict == .read { return [verdict.rawValue] + Array(content.utf8) }
        guard verdict == .made else { return [verdict.rawValue] }
        return [verdict.rawValue] + Self.number(width) + Self.number(height) + file
    }

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
