import Hummingbird

/// Refuses an address that asks too often, before anything else is done for it. What an account may ask is the gate's to say.
///
/// The API proper is limited, and the pages behind shared links and scanned codes, which read as much of the log as the API does. Proofs
/// and health are looked at by machines of many kinds and cost next to nothing.
struct RateMiddleware: RouterMiddleware {
    /// First parts of the paths that are limited.
    private static let limited: Set<Substring> = ["v1", "s", "c", "r"]

    let resources: Resources
    let limiter: RateLimiter<ClientAddress>

    func handle(
        _ request: Request, context: APIContext, next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        // The path that the router sees, also where somebody spells out the whole address.
        if let address = resources.limitedAddress(of: request, context), Self.isLimited(request.uri.path) {
            try limiter.take(address, at: resources.steadyNow)
        }
        return try await next(request, context)
    }

    /// As the router reads a path: slashes before a part, however many, are one.
    static func isLimited(_ path: String) -> Bool {
        let path = path.drop { $0 == "/" }
        let first = path.prefix { $0 != "/" }
        return first.endIndex < path.endIndex && limited.contains(first)
    }
}
