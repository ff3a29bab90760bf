import Testing

@testable import Images

@Suite(.timeLimit(.minutes(15))) struct PictureTests {
    /// For each orientation, the sides of the upright picture where row 0 and column 0 of the file belong (Exif 2.3, 4.6.4 A).
    private static let table: [Int: (row: String, column: String)] = [
        1: ("top", "left"), 2: ("top", "right"), 3: ("bottom", "right"), 4: ("bottom", "left"), 5: ("left", "top"), 6: ("right", "top"),
        7: ("right", "bottom"), 8: ("left", "bottom"),
    ]

    @Test("A photo is rotated according to its orientation", arguments: 1...8)
    func upright(_ orientation: Int) throws {
        let (width, height) = (64, 32)
        let photo = SamplePicture.photo(orientation: orientation, width: width, height: height)
        let picture = try Picture.kept(photo).0
        let (row, column) = try #require(Self.table[orientation])
        let isTurned = row == "left" || row == "right"
        #expect((picture.width, picture.height) == (isTurned ? (height, width) : (width, height)))
        for (x, y) in [(8, 4), (56, 4), (8, 28), (56, 28)] {
            let down = isTurned ? (column == "top" ? x : width - 1 - x) : (row == "top" ? y : height - 1 - y)
            let across = isTurned ? (row == "left" ? y : height - 1 - y) : (column == "left" ? x : width - 1 - x)
            let expected = SamplePicture.color(x, y, width, height)
            #expect(Self.isClose(picture.color(x: across, y: down), expected), "\(x), \(y) of \(orientation)")
        }
    }

    /// Compares colours loosely, because compression changes them a little.
    private static func isClose(_ left: Int, _ right: Int) -> Bool {
        [0, 8, 16].allSatisfy { abs((left >> $0 & 0xFF) - (right >> $0 & 0xFF)) < 48 }
    }

    @Test("Only the pixels of a file are kept")
    func stripped() throws {
        let secret = "GPS 31.2304 121.4737"
        let photo = SamplePicture.photo(orientation: 1, secret: secret)
        let png = SamplePicture.file(.png)
        let text = SamplePicture.chunk("tEXt", Array("Comment\u{0}\(secret)".utf8))
        let annotated = Array(png[..<33]) + text + Array(png[33...])
        for file in [photo, annotated] {
            #expect(file.firstRange(of: Array(secret.utf8)) != nil)
            let (picture, format) = try Picture.kept(file)
            let kept = try #require(picture.encoded(as: format))
            #expect(kept.firstRange(of: Array("GPS".utf8)) == nil && kept.firstRange(of: Array("Exif".utf8)) == nil)
            #expect(try Picture.decoded(kept).1.orientation == 1)
        }
    }

    @Test("Transparency is preserved", arguments: [ImageFormat.png, .webp])
    func transparency(_ format: ImageFormat) throws {
        let picture = try #require(Picture.blank(width: 20, height: 20))
        for x in 0..<20 { for y in 0..<20 { picture.draw(x < 10 ? 0x7F00_0000 : SamplePicture.red, x: x, y: y) } }
        let file = try #require(picture.encoded(as: format))
        let kept = try Picture.kept(file).0
        #expect(kept.color(x: 2, y: 10) >> 24 == 0x7F && kept.color(x: 17, y: 10) >> 24 == 0)
    }

    @Test(
        "A large picture is scaled down and keeps its proportions",
        arguments: [(4_000, 1_000, 2_048, 512), (100, 3_000, 68, 2_048), (2_048, 2, 2_048, 2)])
    func fitted(_ size: (Int, Int, Int, Int)) throws {
        let file = SamplePicture.file(.png, width: size.0, height: size.1)
        let kept = try Picture.kept(file).0
        #expect((kept.width, kept.height) == (size.2, size.3))
    }

    @Test("A truncated or altered file is refused or kept in a valid size", arguments: ImageFormat.allCases)
    func damaged(_ format: ImageFormat) async throws {
        let shelf = Shelf()
        let file = format == .jpeg ? SamplePicture.photo(orientation: 6) : SamplePicture.file(format)
        for index in stride(from: 3, to: file.count, by: max(1, file.count / 12)) {
            var changed = file
            changed[index] ^= 0xFF
            let refusal = await shelf.refusal(of: changed)
            #expect([nil, .unsupported, .tooLarge].contains(refusal), "\(index)")
        }
        for count in [12, file.count / 3, file.count / 2] {
            #expect(await shelf.refusal(of: Array(file[..<count])) == .unsupported, "\(count) of \(file.count)")
        }
    }

    @Test("A non-picture file is refused before a child is started", arguments: ["", "<svg/>", "GIF89a", "%PDF-1.7", "RIFF0000WEBP"])
    func nothing(_ text: String) async {
        let shelf = Shelf(PictureProgram(path: "/nonexistent"))
        #expect(await shelf.refusal(of: Array(text.utf8)) == .unsupported)
        #expect(await shelf.refusal(of: [UInt8](repeating: 0xFF, count: ImageLimits.fileBytesMax + 1)) == .tooLarge)
    }
}
