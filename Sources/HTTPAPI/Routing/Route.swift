import HTTPTypes
import Hummingbird

/// One endpoint: what is asked, where, and who answers.
struct Route: Sendable {
    typealias Handler = @Sendable (Request, APIContext) async throws -> Response

    let method: HTTPRequest.Method
    /// Hummingbird's notation: `/v1/cards/{id}`; `**` at the end for any further segments.
    let path: String
    let handler: Handler

    static func get(_ path: String, _ handler: @escaping Handler) -> Route {
        Route(method: .get, path: path, handler: handler)
    }

    static func post(_ path: String, _ handler: @escaping Handler) -> Route {
        Route(method: .post, path: path, handler: handler)
    }

    static func put(_ path: String, _ handler: @escaping Handler) -> Route {
        Route(method: .put, path: path, handler: handler)
    }

    static func patch(_ path: String, _ handler: @escaping Handler) -> Route {
        Route(method: .patch, path: path, handler: handler)
    }

    static func delete(_ path: String, _ handler: @escaping Handler) -> Route {
        Route(method: .delete, path: path, handler: handler)
    }
}
