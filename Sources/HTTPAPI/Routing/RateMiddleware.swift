import Hummingbird

/// Refuses an address that asks too often, before anything else is done for it. What an account may ask is the gate's to say.
///
/// Two rates: one for the API proper and the pages behind shared links and scanned codes, which read as much of the log as the API does,
/// and a larger one for what machines look at: proofs, health and metrics. That costs little, but one connection could ask for it without
/// a pause. The two are counted apart, so that a customer's requests never use up those of a health check at the same address.
struct RateMiddleware: RouterMiddleware {
    /// First parts of the paths of the API and the pages.
    private static let apiParts: Set<Substring> = ["v1", "s", "c", "r"]

    private let resources: Resources
    private let api: RateLimiter<ClientAddress>
    private let machines: RateLimiter<ClientAddress>

    init(_ resources: Resources, _ rates: RequestRates) {
        self.resources = resources
        (api, machines) = (RateLimiter(rates.address), RateLimiter(rates.machine))
    }

    func handle(
        _ request: Request, context: APIContext, next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        guard let address = resources.limitedAddress(of: request, context) else { return try await next(request, context) }
        // The path that the router sees, also where somebody spells out the whole address.
        let limiter = Self.isOfAPI(request.uri.path) ? api : machines
        do throws(Problem) {
            try limiter.take(address, at: resources.steadyNow)
        } catch {
            // Each further refusal then costs the client a new connection, and the rate of those is limited by address. A proxy's
            // connection is kept, because it carries the requests of other clients too.
            var problem = error
            problem.endsConnection = resources.configuration.trustedProxies == 0
            throw problem
        }
        let response = try await next(request, context)
        let further = Self.furtherTokens(for: response)
        if further > 0 { limiter.charge(address, tokens: further, at: resources.steadyNow) }
        return response
    }

    /// The tokens that a JSON answer costs beyond its request's one. Each campaign or card in a list takes some hundredths of a
    /// millisecond to look up and write, so a long list costs as much as many short answers. Pictures and tiles are files and cost
    /// little at any length.
    static func furtherTokens(for response: Response) -> Int {
        guard let count = response.body.contentLength, count > Limits.answerBytesPerToken,
            response.headers[.contentType] == ContentTypes.json
        else { return 0 }
        return count / Limits.answerBytesPerToken
    }

    /// As the router reads a path: slashes before a part, however many, are one.
    static func isOfAPI(_ path: String) -> Bool {
        let path = path.drop { $0 == "/" }
        let first = path.prefix { $0 != "/" }
        return first.endIndex < path.endIndex && apiParts.contains(first)
    }
}
