import Foundation
import Patience
import Testing

@testable import Images

/// QR codes in photos, read by the child processes that decode pictures.
@Suite(.timeLimit(.minutes(15))) struct CodeTests {
    private static let content = "https://greentea.example/s/K7QF2M9X"

    /// The modules of a QR code that contains `content`: one number for each of its 29 rows.
    private static let modules: [UInt32] = [
        0x1FC24E7F, 0x10578E41, 0x1743255D, 0x1740875D, 0x175F965D, 0x10476F41, 0x1FD5557F, 0xA2F00, 0x15412F12,
        0x1B1AB1C9, 0x14FE48B7, 0x1292EEC2, 0x16DB69CB, 0x11844D49, 0x4EC8DFB, 0x5033E8A, 0x18463ECB, 0xB15B1CD,
        0x10CC58C3, 0xBBCCF2A, 0x114B41F0, 0x1F4317, 0x1FCF9F5B, 0x10431D19, 0x17541DF1, 0x1746BF17, 0x175ACA39,
        0x10406F92, 0x1FD841F3,
    ]
    private static let side = 29

    /// A photo of the code.
    ///
    /// - Parameters:
    ///   - scale: the side of one module of the code, in pixels.
    ///   - margin: the width of the light border around the code, in pixels.
    private static func photo(scale: Int = 6, margin: Int = 40, dark: Int = 0x202020, light: Int = 0xE8E0D0) -> Picture {
        let width = side * scale + 2 * margin
        let picture = Picture.blank(width: width, height: width)!
        for y in 0..<width {
            for x in 0..<width {
                let (row, column) = ((y - margin) / scale, (x - margin) / scale)
                let isCode = y >= margin && x >= margin && row < side && column < side
                picture.draw(isCode && modules[row] >> UInt32(side - 1 - column) & 1 == 1 ? dark : light, x: x, y: y)
            }
        }
        return picture
    }

    @Test("A code in a photo is read in each format", arguments: ImageFormat.allCases)
    func formats(_ format: ImageFormat) async throws {
        let shelf = Shelf()
        #expect(try await shelf.store.code(in: Self.photo().encoded(as: format)!) == Self.content)
        #expect(!FileManager.default.fileExists(atPath: shelf.store.blobs), "nothing of the photo is stored")
    }

    @Test("A code is read in a large photo, and on a transparent background")
    func sizes() async throws {
        let shelf = Shelf()
        #expect(try await shelf.store.code(in: Self.photo(scale: 60, margin: 800).encoded(as: .jpeg)!) == Self.content)
        // A fully transparent background whose colour is black, as libgd represents it.
        #expect(try await shelf.store.code(in: Self.photo(dark: 0, light: 0x7F00_0000).encoded(as: .png)!) == Self.content)
    }

    @Test("No code is found in a picture without one, and a file that is no picture is refused")
    func none() async throws {
        let shelf = Shelf()
        #expect(try await shelf.store.code(in: SamplePicture.file(.jpeg)) == nil)
        #expect(try await shelf.store.code(in: SamplePicture.file(.png, width: 1, height: 1)) == nil)
        await #expect(throws: ImageError.unsupported) { try await shelf.store.code(in: Array("no picture".utf8)) }
        await #expect(throws: ImageError.tooLarge) {
            try await shelf.store.code(in: [UInt8](repeating: 0xFF, count: ImageLimits.fileBytesMax + 1))
        }
    }

    @Test("A child's answer that is too long or not text is rejected")
    func answers() {
        let text = [UInt8](repeating: 0x61, count: ImageLimits.codeBytesMax)
        #expect(PictureAnswer([5] + text)?.content.count == text.count)
        #expect(PictureAnswer([5] + text + [0x61]) == nil)
        #expect(PictureAnswer([5]) == nil && PictureAnswer([5, 0xFF]) == nil && PictureAnswer([6, 0x61]) == nil)
        #expect(PictureAnswer([6])?.verdict == .hasNoCode)
        #expect(PictureAnswer(PictureAnswer(content: "码").bytes)?.content == "码")
    }
}
