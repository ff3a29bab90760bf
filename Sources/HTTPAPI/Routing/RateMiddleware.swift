import Hummingbird

/// Refuses an address that asks too often, before anything else is done for it. What an account may ask is the gate's to say.
///
/// Only the API proper is limited: pages, proofs and health are looked at by machines of many kinds and cost next to nothing.
struct RateMiddleware: RouterMiddleware {
    private static let prefix = "/v1/"

    let resources: Resources
    let limiter: RateLimiter<ClientAddress>

    func handle(
        _ request: Request, context: APIContext, next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        if let address = resources.limitedAddress(of: request, context), request.head.path?.hasPrefix(Self.prefix) == true {
            try limiter.take(address, at: resources.now)
        }
        return try await next(request, context)
    }
}
