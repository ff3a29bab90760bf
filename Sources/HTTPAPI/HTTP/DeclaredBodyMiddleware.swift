import HTTPTypes
import Hummingbird

/// Refuses a body whose head declares it too large or compressed. Comes after `RateMiddleware`, so that each refusal uses up the client's
/// rate.
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
        // The pictures' route checks the size itself.
        if request.method != .post || !ImageRoutes.takesPictures(request.uri.path) { throw Problem(.tooLarge) }
    }

    /// A decompressed body could have any size.
    private static func requirePlain(_ request: Request) throws(Problem) {
        guard let coding = request.headers.text(of: .contentEncoding), coding.lowercased() != "identity" else { return }
        throw Problem(.unsupportedMediaType)
    }
}
