import CQREncode
import Foundation
import LoyaltyCodec

/// A one-time code as a screen shows it: as text, and as a QR code that contains a link.
struct ShownCode: Sendable {
    /// The kind of a code. The raw value is the path of the page that a scan opens.
    enum Kind: String {
        case stamp = "/s/"
        case redemption = "/r/"
    }

    /// The code as text, such as `K7QF-2M9X`.
    let text: String
    /// The content of the QR code: a link that any camera opens.
    let payload: String

    init(_ code: TypedCode, _ kind: Kind, publicURL: String) {
        text = code.text
        payload = publicURL + kind.rawValue + text.filter { $0 != "-" }
    }

    /// The code in a typed or scanned text, which is the code itself or a link like ``payload``. The host of the link is not checked.
    static func code(in text: String, _ kind: Kind) -> TypedCode? {
        // Most codes are typed, and have no colon. Foundation's search for a text would take a hundredth of a stamp's instructions.
        guard text.utf8.contains(UInt8(ascii: ":")) else { return TypedCode(typed: text) }
        let scanned = text.contains("://") ? text.range(of: kind.rawValue, options: .backwards).map { String(text[$0.upperBound...]) } : nil
        return TypedCode(typed: scanned ?? text)
    }

    func write(to json: inout JSONWriter) {
        json.field("code", text)
        json.field("payload", payload)
        json.field("qrSvg", QRCode(payload)?.svg)
    }
}

/// A text as a QR code (ISO/IEC 18004), made by libqrencode. Only this file uses that library.
struct QRCode {
    /// The number of modules (dark or light squares) on one side, without the quiet zone.
    let width: Int
    /// The modules, row by row; `true` is dark.
    let modules: [Bool]

    /// Makes the code with error correction level M. A higher level would repair more damage, but would make the modules smaller, so that a
    /// camera would have to come nearer.
    ///
    /// - Returns: `nil` for an empty text, for a text that is too long for a QR code (more than about 2,300 bytes), and if there is not
    ///   enough memory.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let size = Int32(exactly: bytes.count), size > 0 else { return nil }
        // SAFETY: libqrencode reads `size` bytes of the buffer during the call and keeps none of them. Debian builds the library with
        // support for threads, so a lock protects the library's tables. The caller must free the returned code. The code holds width ×
        // width bytes of data, which are copied before it is freed.
        guard let code = unsafe bytes.withUnsafeBufferPointer({ unsafe QRcode_encodeData(size, $0.baseAddress, 0, QR_ECLEVEL_M) })
        else { return nil }
        defer { unsafe QRcode_free(code) }
        width = Int(unsafe code.pointee.width)
        let data = unsafe UnsafeBufferPointer(start: code.pointee.data, count: width * width)
        modules = unsafe data.map { $0 & 1 == 1 }
    }

    func isDark(row: Int, column: Int) -> Bool {
        modules[row * width + column]
    }
}

extension QRCode {
    /// The width of the light margin around the code, in modules, as the standard requires.
    private static let quietZone = 4

    /// A complete picture in SVG, with one unit for each module. It has a light background, and one dark path with a part for each run of
    /// dark modules in a row.
    var svg: String {
        let side = width + 2 * Self.quietZone
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(side) \(side)\" shape-rendering=\"crispEdges\">"
            + "<path fill=\"#fff\" d=\"M0 0h\(side)v\(side)H0z\"/><path d=\"\((0..<width).map(path).joined())\"/></svg>"
    }

    private func path(ofRow row: Int) -> String {
        var path = ""
        var column = 0
        while column < width {
            let start = column
            while column < width, isDark(row: row, column: column) { column += 1 }
            if column > start {
                path += "M\(start + Self.quietZone) \(row + Self.quietZone)h\(column - start)v1H\(start + Self.quietZone)z"
            }
            column += 1
        }
        return path
    }
}
