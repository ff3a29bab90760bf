import Testing

@testable import Images

/// Sizes and orientations as the libraries tell them, of files that are whole; a file that is not would end this process.
@Suite struct HeaderTests {
    private static func header(_ file: [UInt8]) throws -> PictureHeader { try Picture.decoded(file).1 }

    @Test("A file says what it is and how large", arguments: ImageFormat.allCases)
    func sizes(_ format: ImageFormat) throws {
        #expect(try Self.header(SamplePicture.file(format, width: 60, height: 32)) == PictureHeader(format, width: 60, height: 32))
    }

    @Test("How the camera was held is read from each kind of file", arguments: 1...8, [false, true])
    func orientation(_ orientation: Int, _ isLittle: Bool) throws {
        let tiff = SamplePicture.tiff(orientation, isLittle: isLittle)
        let jpeg = SamplePicture.file(.jpeg)
        let photo = Array(jpeg[..<2]) + SamplePicture.segment(0xE1, Orientation.prefix + tiff) + Array(jpeg[2...])
        #expect(try Self.header(photo).orientation == orientation)
        let (png, exif) = (SamplePicture.file(.png), SamplePicture.chunk("eXIf", tiff))
        for place in [8 + 25, png.count - 12] {
            #expect(try Self.header(Array(png[..<place]) + exif + Array(png[place...])).orientation == orientation, "at \(place)")
        }
        #expect(try Self.header(SamplePicture.webp(exif: tiff)).orientation == orientation)
        #expect(try Self.header(SamplePicture.webp(exif: Orientation.prefix + tiff)).orientation == orientation)
    }

    @Test("An orientation that makes no sense is upright", arguments: [0, 9, 255])
    func strangeOrientation(_ orientation: Int) throws {
        #expect(try Self.header(SamplePicture.photo(orientation: orientation)).orientation == 1)
    }

    @Test("Of several blocks of Exif the first counts")
    func firstBlock() throws {
        let photo = SamplePicture.photo(orientation: 6)
        let second = SamplePicture.segment(0xE1, Orientation.prefix + SamplePicture.tiff(3))
        let place = try #require(photo.firstRange(of: [0xFF, 0xDB])).lowerBound
        #expect(try Self.header(Array(photo[..<place]) + second + Array(photo[place...])).orientation == 6)
        let png = SamplePicture.file(.png)
        let blocks = SamplePicture.chunk("eXIf", SamplePicture.tiff(8)) + SamplePicture.chunk("eXIf", SamplePicture.tiff(3))
        #expect(try Self.header(Array(png[..<33]) + blocks + Array(png[33...])).orientation == 8)
    }

    @Test("Bytes beyond one segment's length of Exif are not looked at")
    func boundedBlock() {
        let far = Array("MM".utf8) + [0, 42, 0, 1, 0, 0] + [UInt8](repeating: 0, count: 65_528)
        let directory: [UInt8] = [0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0]
        #expect(Orientation.find(inExif: far + directory) == Orientation.upright)
        // One that ends in the middle of an entry, or points anywhere, is upright as well.
        let whole = SamplePicture.tiff(6)
        for count in 0..<whole.count {
            let found = Orientation.find(inExif: whole[..<count])
            #expect(found == Orientation.upright || found == 6)
        }
        #expect(Orientation.find(inExif: Array("II".utf8) + [42, 0, 0xFF, 0xFF, 0xFF, 0xFF]) == Orientation.upright)
    }
}
