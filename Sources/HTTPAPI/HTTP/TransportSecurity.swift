import Hummingbird
import NIOSSL

/// Makes browsers use https for this host (RFC 6797). Every answer has the header, also a refusal, because a browser may get it first.
/// Subdomains may not be ours.
struct TransportSecurityMiddleware: RouterMiddleware {
    /// A year, as browsers' lists of such hosts require.
    static let policy = "max-age=31536000"

    func handle(
        _ request: Request, context: APIContext, next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        try await next(request, context).with(.strictTransportSecurity, Self.policy)
    }
}

extension TLSConfiguration {
    /// The configuration without versions before 1.2, and suites without forward secrecy or authenticated encryption (RFC 9325, 3.1 and
    /// 4.2). TLS 1.3 has both.
    var restricted: TLSConfiguration {
        var configuration = self
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuiteValues = [
            .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
            .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
            .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
        ]
        return configuration
    }
}
