import Foundation
import LoyaltyCodec

/// A one-time code as it is shown on a screen: to be typed, to be scanned, and as a picture.
struct ShownCode: Sendable {
    /// Whose page a scan opens.
    enum Kind: String {
        case stamp = "/s/"
        case redemption = "/r/"
    }

    /// `K7QF-2M9X`
    let text: String
    /// What the picture says: a link that any camera opens.
    let payload: String

    init(_ code: TypedCode, _ kind: Kind, publicURL: String) {
        text = code.text
        payload = publicURL + kind.rawValue + text.filter { $0 != "-" }
    }

    /// The code that somebody typed or scanned: the code itself, or what our picture says, whatever address we had when it was shown.
    static func code(in text: String, _ kind: Kind) -> TypedCode? {
        let scanned = text.contains("://") ? text.range(of: kind.rawValue, options: .backwards).map { String(text[$0.upperBound...]) } : nil
        return TypedCode(typed: scanned ?? text)
    }

    func write(to json: inout JSONWriter) {
        json.field("code", text)
        json.field("payload", payload)
        json.field("qrSvg", QRCode(payload)?.svg)
    }
}
