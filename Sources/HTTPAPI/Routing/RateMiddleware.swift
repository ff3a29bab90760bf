import Hummingbird

/// Refuses an address that asks too often, before anything else is done for it. What an account may ask is the gate's to say.
///
/// Only the API proper is limited: pages, proofs and health are looked at by machines of many kinds and cost next to nothing.
struct RateMiddleware: RouterMiddleware {
    private static let prefix = "v1/"

    let resources: Resources
    let limiter: RateLimiter<ClientAddress>

    func handle(
        _ request: Request, context: APIContext, next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        if let address = resources.limitedAddress(of: request, context), Self.isLimited(request.head.path ?? "") {
            try limiter.take(address, at: resources.now)
        }
        return try await next(request, context)
    }

    /// As the router reads a path: slashes before a part, however many, are one.
    static func isLimited(_ path: String) -> Bool {
        path.utf8.drop { $0 == UInt8(ascii: "/") }.starts(with: prefix.utf8)
    }
}
