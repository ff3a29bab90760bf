import Testing

@testable import Images

/// Sizes and orientations as the libraries report them for intact files. The files are decoded in this process and not in a child process,
/// so a damaged file could end the test run.
@Suite struct HeaderTests {
    private static func header(_ file: [UInt8]) throws -> PictureHeader { try Picture.decoded(file).1 }

    @Test("A file's header gives its format and size", arguments: ImageFormat.allCases)
    func sizes(_ format: ImageFormat) throws {
        #expect(try Self.header(SamplePicture.file(format, width: 60, height: 32)) == PictureHeader(format, width: 60, height: 32))
    }

    @Test("The orientation is read from each file format and byte order", arguments: 1...8, [false, true])
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

    @Test("An invalid orientation counts as upright", arguments: [0, 9, 255])
    func strangeOrientation(_ orientation: Int) throws {
        #expect(try Self.header(SamplePicture.photo(orientation: orientation)).orientation == 1)
    }

    @Test("The orientation is that of the first of several Exif blocks")
    func firstBlock() throws {
        let photo = SamplePicture.photo(orientation: 6)
        let second = SamplePicture.segment(0xE1, Orientation.prefix + SamplePicture.tiff(3))
        let place = try #require(photo.firstRange(of: [0xFF, 0xDB])).lowerBound
        #expect(try Self.header(Array(photo[..<place]) + second + Array(photo[place...])).orientation == 6)
        let png = SamplePicture.file(.png)
        let blocks = SamplePicture.chunk("eXIf", SamplePicture.tiff(8)) + SamplePicture.chunk("eXIf", SamplePicture.tiff(3))
        #expect(try Self.header(Array(png[..<33]) + blocks + Array(png[33...])).orientation == 8)
    }

    @Test("Exif bytes beyond the length of one segment are ignored")
    func boundedBlock() {
        let far = Array("MM".utf8) + [0, 42, 0, 1, 0, 0] + [UInt8](repeating: 0, count: 65_528)
        let directory: [UInt8] = [0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0]
        #expect(Orientation.find(inExif: far + directory) == Orientation.upright)
        // Exif data that ends within an entry, or whose directory lies outside the data, is also read as upright.
        let whole = SamplePicture.tiff(6)
        for count in 0..<whole.count {
            let found = Orientation.find(inExif: whole[..<count])
            #expect(found == Orientation.upright || found == 6)
        }
        #expect(Orientation.find(inExif: Array("II".utf8) + [42, 0, 0xFF, 0xFF, 0xFF, 0xFF]) == Orientation.upright)
    }
}
