import CQREncode
import Foundation
import Loyalty
import LoyaltyCodec

/// A one-time code as text and as a QR code with a link.
struct ShownCode: Sendable {
    /// The raw value is the path of the page that a scan opens.
    enum Kind: String {
        case stamp = "/s/"
        case redemption = "/r/"
    }

    /// For example `K7QF-2M9X`.
    let text: String
    /// A link that any camera opens.
    let payload: String

    init(_ code: TypedCode, _ kind: Kind, publicURL: String) {
        text = code.text
        payload = publicURL + kind.rawValue + text.filter { $0 != "-" }
    }

    /// The code, or a link like ``payload`` on any host.
    static func code(in text: String, _ kind: Kind) -> TypedCode? {
        // Most codes are typed and have no colon. Foundation's search would take a hundredth of a stamp's instructions.
        guard text.utf8.contains(UInt8(ascii: ":")) else { return TypedCode(typed: text) }
        let scanned = text.contains("://") ? text.range(of: kind.rawValue, options: .backwards).map { String(text[$0.upperBound...]) } : nil
        return TypedCode(typed: scanned ?? text)
    }

    /// A new code for the screen of the account that requested it.
    func fields<Noun: Identified>(id: ID<Noun>, expiresAt: Instant) -> JSONFields {
        ["id": id, "code": text, "payload": payload, "qrSvg": QRCode(payload)?.svg, "expiresAt": expiresAt]
    }
}

/// A text as a QR code (ISO/IEC 18004), by libqrencode.
struct QRCode {
    /// Modules (dark or light squares) on one side, without the quiet zone.
    let width: Int
    /// Row by row; true is dark.
    let modules: [Bool]

    /// Uses error correction level M: higher levels make the modules smaller.
    ///
    /// - Returns: nil for an empty text, one of more than about 2,300 bytes, or if memory is short.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let size = Int32(exactly: bytes.count), size > 0 else { return nil }
        // SAFETY: libqrencode reads `size` bytes during the call and keeps none. Debian builds it with threads, so a lock protects its
        // tables. The returned code holds width × width bytes, copied before the caller frees it.
        guard let code = unsafe bytes.withUnsafeBufferPointer({ unsafe QRcode_encodeData(size, $0.baseAddress, 0, QR_ECLEVEL_M) })
        else { return nil }
        defer { unsafe QRcode_free(code) }
        width = Int(unsafe code.pointee.width)
        let data = unsafe UnsafeBufferPointer(start: code.pointee.data, count: width * width)
        modules = unsafe data.map { $0 & 1 == 1 }
    }

    func isDark(row: Int, column: Int) -> Bool { modules[row * width + column] }
}

extension QRCode {
    /// In modules, by the standard.
    private static let quietZone = 4

    /// SVG with one unit for each module, and one dark path with a part for each run of dark modules.
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
