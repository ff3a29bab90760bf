import Testing

@testable import HTTPAPI

@Suite("QR codes")
struct QRCodeTests {
    @Test("A QR code has three finder patterns and grows with its text", arguments: [(1, 21), (30, 29), (2_000, 169)])
    func shape(_ length: Int, _ width: Int) throws {
        let code = try #require(QRCode(String(repeating: "a", count: length)))
        #expect(code.width == width)
        for (row, column) in [(0, 0), (0, width - 7), (width - 7, 0)] {
            for line in 0..<7 {
                for place in 0..<7 {
                    let ring = min(min(line, 6 - line), min(place, 6 - place))
                    #expect(code.isDark(row: row + line, column: column + place) == (ring != 1))
                }
            }
        }
    }

    @Test("Empty text and text that is too long yield no QR code")
    func none() {
        #expect(QRCode("") == nil)
        #expect(QRCode(String(repeating: "a", count: 3_000)) == nil)
    }

    @Test("The SVG shows each module at its position, inside a quiet zone of four modules")
    func picture() throws {
        let code = try #require(QRCode("https://greentea.example/s/K7QF2M9X"))
        let side = code.width + 8
        #expect(code.svg.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(side) \(side)\""))
        let path = try #require(code.svg.split(separator: "<path d=\"").last?.split(separator: "\"").first)
        var dark = Set<[Int]>()
        for run in path.matches(of: #/M(\d+) (\d+)h(\d+)v1H(\d+)z/#) {
            let (column, row, length) = (Int(run.1)!, Int(run.2)!, Int(run.3)!)
            #expect(run.1 == run.4)
            for place in column..<column + length { #expect(dark.insert([row - 4, place - 4]).inserted) }
        }
        for row in 0..<code.width {
            for column in 0..<code.width { #expect(dark.contains([row, column]) == code.isDark(row: row, column: column)) }
        }
    }
}
