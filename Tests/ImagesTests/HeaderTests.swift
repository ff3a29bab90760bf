import Testing

@testable import Images

@Suite struct HeaderTests {
    @Test("a file says what it is and how large", arguments: ImageFormat.allCases)
    func sizes(_ format: ImageFormat) throws {
        #expect(try ImageHeader(SamplePicture.file(format, width: 60, height: 32)) == ImageHeader(format, width: 60, height: 32))
    }

    @Test("how the camera was held is read from each kind of file", arguments: 1...8, [false, true])
    func orientation(_ orientation: Int, _ isLittle: Bool) throws {
        let tiff = SamplePicture.tiff(orientation, isLittle: isLittle)
        let jpeg = SamplePicture.file(.jpeg)
        let photo = Array(jpeg[..<2]) + SamplePicture.segment(0xE1, Array("Exif\u{0}\u{0}".utf8) + tiff) + Array(jpeg[2...])
        #expect(try ImageHeader(photo).orientation == orientation)
        let png = SamplePicture.file(.png)
        let behindHeader = 8 + 25
        #expect(
            try ImageHeader(Array(png[..<behindHeader]) + SamplePicture.chunk("eXIf", tiff) + Array(png[behindHeader...])).orientation
                == orientation)
        let webp = SamplePicture.file(.webp) + Array("EXIF".utf8) + [UInt8(tiff.count), 0, 0, 0] + tiff
        #expect(try ImageHeader(webp).orientation == orientation)
    }

    @Test("what makes no sense of how it was held is upright", arguments: [0, 9, 255])
    func strangeOrientation(_ orientation: Int) throws {
        #expect(try ImageHeader(SamplePicture.photo(orientation: orientation)).orientation == 1)
    }

    @Test(
        "a bomb is refused by its header",
        arguments: [(60_000, 60_000), (16_385, 1), (1, 20_000), (5_001, 5_000), (0x7FFF_FFFF, 0x7FFF_FFFF)])
    func bombs(_ size: (Int, Int)) {
        #expect(throws: ImageError.tooLarge) { try ImageHeader(SamplePicture.pngHeader(width: size.0, height: size.1)) }
        guard size.0 <= 0xFFFF, size.1 <= 0xFFFF else { return }
        let frame: [UInt8] = [8, UInt8(size.1 >> 8), UInt8(size.1 & 0xFF), UInt8(size.0 >> 8), UInt8(size.0 & 0xFF), 3]
        #expect(throws: ImageError.tooLarge) { try ImageHeader([0xFF, 0xD8] + SamplePicture.segment(0xC0, frame)) }
    }

    @Test("a WebP's canvas and its picture are both looked at")
    func canvas() {
        let wide: [UInt8] = [0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0, 0, 0]
        let file = Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBPVP8X".utf8) + [10, 0, 0, 0] + wide
        #expect(throws: ImageError.tooLarge) { try ImageHeader(file + Array(SamplePicture.file(.webp)[12...])) }
        #expect(throws: ImageError.tooLarge) {
            // A small canvas with a large picture on it.
            try ImageHeader(
                Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBPVP8X".utf8) + [10, 0, 0, 0] + [UInt8](repeating: 0, count: 10)
                    + Array("VP8L".utf8) + [5, 0, 0, 0, 0x2F, 0xFF, 0xFF, 0xFF, 0x0F, 0])
        }
        let moving = Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBPVP8X".utf8) + [10, 0, 0, 0, 0x02] + [UInt8](repeating: 0, count: 9)
        #expect(throws: ImageError.unsupported) { try ImageHeader(moving) }
    }

    @Test(
        "what is no picture is refused",
        arguments: [
            [], [0xFF], [0xFF, 0xD8, 0xFF], Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8), Array("GIF89a".utf8),
            Array("RIFF0000WEBP".utf8), [0x89, 0x50, 0x4E, 0x47], SamplePicture.pngHeader(width: 0, height: 5),
            [0xFF, 0xD8, 0xFF, 0xDA, 0, 2], Array("%PDF-1.7".utf8),
        ])
    func nothing(_ bytes: [UInt8]) {
        #expect(throws: ImageError.unsupported) { try ImageHeader(bytes) }
    }

    @Test("a file cut off anywhere, or changed anywhere, is read or refused, and never read beyond", arguments: ImageFormat.allCases)
    func damage(_ format: ImageFormat) {
        let file = format == .jpeg ? SamplePicture.photo(orientation: 6) : SamplePicture.file(format)
        for count in 0..<min(file.count, 400) { _ = try? ImageHeader(Array(file[..<count])) }
        for index in 0..<min(file.count, 400) {
            for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
                var changed = file
                changed[index] = value
                _ = try? ImageHeader(changed)
            }
        }
    }

    @Test("more bytes than are taken are not looked at")
    func bytes() {
        #expect(throws: ImageError.tooLarge) { try ImageHeader([UInt8](repeating: 0xFF, count: ImageLimits.fileBytesMax + 1)) }
    }
}
