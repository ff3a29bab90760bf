import HTTPTypes
import Hummingbird

/// Refuses a request if its head shows that its body is too large or compressed, even if the route would not read the body. It comes after
/// `RateMiddleware`, so that each refusal uses up the request rate of its client.
struct DeclaredBodyMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: APIContext, next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        try Self.requireSize(of: request)
        try Self.requirePlain(request)
        return try await next(request, context)
    }

    private static func requireSize(of request: Request) throws(Problem) {
        guard let length = request.headers.text(of: .contentLength).flatMap({ Int($0) }), length > Limits.bodyBytesMax else { return }
        // Pictures may be larger, and their route checks the size itself.
        if request.method != .post || !ImageRoutes.takesPictures(request.uri.path) { throw Problem(.tooLarge) }
    }

    /// Refuses a compressed body. The bytes of a compressed body are no JSON, and a decompressed body could have any size.
    private static func requirePlain(_ request: Request) throws(Problem) {
        guard let coding = request.headers.text(of: .contentEncoding), coding.lowercased() != "identity" else { return }
        throw Problem(.unsupportedMediaType)
    }
}
