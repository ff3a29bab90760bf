import Foundation

@testable import Images

/// Sample pictures with a different colour in each quarter, so that their orientation can be detected.
enum SamplePicture {
    static let red = 0xFF0000, green = 0x00FF00, blue = 0x0000FF, white = 0xFFFFFF

    /// Returns a picture that is red and green on top, blue and white below.
    static func quarters(width: Int, height: Int) -> Picture {
        let picture = Picture.blank(width: width, height: height)!
        for y in 0..<height {
            for x in 0..<width { picture.draw(color(x, y, width, height), x: x, y: y) }
        }
        return picture
    }

    static func color(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> Int {
        y < height / 2 ? (x < width / 2 ? red : green) : (x < width / 2 ? blue : white)
    }

    static func file(_ format: ImageFormat, width: Int = 64, height: Int = 32) -> [UInt8] {
        quarters(width: width, height: height).encoded(as: format)!
    }

    /// Returns a JPEG with an orientation in Exif. The text `secret` follows the Exif fields, and is also in a comment.
    static func photo(orientation: Int, width: Int = 64, height: Int = 32, secret: String = "GPS 31.2304 121.4737") -> [UInt8] {
        let jpeg = file(.jpeg, width: width, height: height)
        let exif = Array("Exif\u{0}\u{0}".utf8) + tiff(orientation) + Array(secret.utf8)
        let comment = Array(secret.utf8)
        return Array(jpeg[..<2]) + segment(0xE1, exif) + segment(0xFE, comment) + Array(jpeg[2...])
    }

    static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0xFF, marker, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 0xFF)] + content
    }

    /// Returns a TIFF with two fields, the maker and the orientation, in either byte order.
    static func tiff(_ orientation: Int, isLittle: Bool = false) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            let bytes = (0..<count).map { UInt8(value >> (8 * (count - 1 - $0)) & 0xFF) }
            return isLittle ? bytes.reversed() : bytes
        }
        return Array((isLittle ? "II" : "MM").utf8) + number(42, 2) + number(8, 4) + number(2, 2)
            + number(0x010F, 2) + number(2, 2) + number(4, 4) + number(0, 4)
            + number(0x0112, 2) + number(3, 2) + number(1, 4) + number(orientation, 2) + [0, 0] + number(0, 4)
    }

    /// Returns a WebP file in the extended format (RFC 9649), which can contain Exif fields and states the size of the picture a second
    /// time.
    static func webp(exif: [UInt8], width: Int = 64, height: Int = 32) -> [UInt8] {
        func little(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 0xFF) } }
        func part(_ name: String, _ content: [UInt8]) -> [UInt8] {
            Array(name.utf8) + little(content.count, 4) + content + (content.count % 2 == 0 ? [] : [0])
        }
        let canvas = part("VP8X", [0x08, 0, 0, 0] + little(width - 1, 3) + little(height - 1, 3))
        let body = Array("WEBP".utf8) + canvas + file(.webp, width: width, height: height)[12...] + part("EXIF", exif)
        return Array("RIFF".utf8) + little(body.count, 4) + body
    }

    /// Returns a PNG chunk.
    static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + content
        return number(content.count) + body + number(Int(checksum(body)))
    }

    private static func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> (24 - 8 * $0) & 0xFF) } }

    /// Returns the CRC-32 that PNG uses.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { checksum, byte in
            (0..<8).reduce(checksum ^ UInt32(byte)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
        }
    }

    /// Returns the start of a PNG file whose header claims this size.
    static func pngHeader(width: Int, height: Int) -> [UInt8] {
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", number(width) + number(height) + [8, 6, 0, 0, 0])
    }
}
