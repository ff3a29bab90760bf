import JWTKit

/// What an access token says (RFC 7519). Times are seconds since 1970.
struct AccessClaims: JWTPayload {
    static let issuer = "greentea"

    let iss: String
    /// The account's id.
    let sub: String
    /// The session's id.
    let sid: String
    let iat: Int64
    let exp: Int64

    /// Nothing: the times are compared with the service's clock by `TokenSigner`, not with this library's.
    func verify(using algorithm: some JWTAlgorithm) throws {}
}
