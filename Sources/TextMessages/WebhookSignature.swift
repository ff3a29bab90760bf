internal import Crypto

/// How a gateway can tell that a message comes from this service, unchanged and just now: the header
/// `GreenTea-Signature: t=SECONDS,v1=HEX`, where HEX is HMAC-SHA256 under the shared secret over `SECONDS.BODY`.
public struct WebhookSignature: Sendable {
    /// The header's name.
    public static let headerName = "GreenTea-Signature"

    private let key: SymmetricKey

    /// - Throws: `TextMessageError.weakSecret`.
    public init(secret: [UInt8]) throws(TextMessageError) {
        guard secret.count >= Limits.secretBytesMin else { throw .weakSecret(bytes: secret.count) }
        key = SymmetricKey(data: secret)
    }

    /// The header of a body.
    ///
    /// - Parameter seconds: since 1970.
    public func header(of body: [UInt8], at seconds: Int64) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: Self.message(body, seconds), using: key)
        return "t=\(seconds),v1=" + code.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// What a receiver does: whether the header is that of the body, and not too old to be a copy that somebody kept.
    public func isValid(_ header: String, of body: [UInt8], now: Int64) -> Bool {
        guard header.hasPrefix("t="), let comma = header.firstIndex(of: ","),
            let seconds = Int64(header[header.index(header.startIndex, offsetBy: 2)..<comma]),
            abs(now.subtractingReportingOverflow(seconds).partialValue) <= Limits.signatureSecondsMax
        else { return false }
        let expected = self.header(of: body, at: seconds)
        guard expected.utf8.count == header.utf8.count else { return false }
        return zip(expected.utf8, header.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func message(_ body: [UInt8], _ seconds: Int64) -> [UInt8] {
        Array("\(seconds).".utf8) + body
    }
}
