import Composition
import EventLog
import HTTPTypes
import Hummingbird
import ReadModels

/// One endpoint: method, path and handler.
struct Route: Sendable {
    typealias Handler = @Sendable (Request, APIContext) async throws -> Response

    let method: HTTPRequest.Method
    /// In Hummingbird's notation. A `**` at the end matches one or more segments.
    let path: String
    let handler: Handler

    /// The name to which idempotency keys are bound: method and path without the path's parameters, such as `PUT /v1/campaigns/favorite`.
    static func operation(_ method: HTTPRequest.Method, _ path: String) -> String {
        method.rawValue + " /" + path.split(separator: "/").filter { !$0.hasPrefix("{") }.joined(separator: "/")
    }

    static func get(_ path: String, _ handler: @escaping Handler) -> Route { Route(method: .get, path: path, handler: handler) }
    static func post(_ path: String, _ handler: @escaping Handler) -> Route { Route(method: .post, path: path, handler: handler) }
    static func put(_ path: String, _ handler: @escaping Handler) -> Route { Route(method: .put, path: path, handler: handler) }
    static func patch(_ path: String, _ handler: @escaping Handler) -> Route { Route(method: .patch, path: path, handler: handler) }
    static func delete(_ path: String, _ handler: @escaping Handler) -> Route { Route(method: .delete, path: path, handler: handler) }
}

/// The routes of one resource.
protocol RouteGroup {
    init(resources: Resources)

    var routes: [Route] { get }
}

/// A plain list, because it is searched only if the router found no route.
struct RouteTable: Sendable {
    private struct Template: Sendable {
        /// Nil matches any one segment.
        let segments: [String?]
        /// Whether the path ends with `**`.
        let isOpen: Bool
        let method: HTTPRequest.Method

        func matches(_ path: [Substring]) -> Bool {
            guard isOpen ? path.count > segments.count : path.count == segments.count else { return false }
            return zip(segments, path).allSatisfy { segment, part in segment.map { $0 == part } ?? true }
        }

        /// As in the router, the most exact of several matching paths is used.
        var exactness: Int { segments.count { $0 != nil } }
    }

    private let templates: [Template]

    init(_ routes: [Route]) {
        templates = routes.map { route in
            let isOpen = route.path.hasSuffix("/**")
            let parts = route.path.split(separator: "/").dropLast(isOpen ? 1 : 0)
            return Template(segments: parts.map { $0.hasPrefix("{") ? nil : String($0) }, isOpen: isOpen, method: route.method)
        }
    }

    /// The value of `Allow`; nil if the path does not exist.
    func allowed(at path: String) -> String? {
        let parts = path.split(separator: "/")
        let matching = templates.filter { $0.matches(parts) }
        guard let exactness = matching.map(\.exactness).max() else { return nil }
        var methods = Set(matching.filter { $0.exactness == exactness }.map(\.method.rawValue))
        if methods.contains("GET") { methods.insert("HEAD") }
        methods.insert("OPTIONS")
        return methods.sorted().joined(separator: ", ")
    }
}

extension Route {
    /// Adds `GreenTea-Position` to answers to reads, also to `HEAD` and as 304, unless the route has set it: the position that the read
    /// models had reached before the read, or the named one if higher. The answer shows at least the events up to it.
    ///
    /// A snapshot for `GET /me/changes` has its exact position (`Response.showing(_:)`). Statistics and analytics have those of their own
    /// models, which other answers ignore. No answer but a page of changes has a lower position than its request required, so a client
    /// never sees an earlier state.
    func showingPosition(of service: GreenTea) -> Route {
        guard method == .get else { return self }
        return .get(path) { request, context in
            guard request.uri.path.hasPrefix("/v1/") else { return try await handler(request, context) }
            let shown = service.models.shownPosition
            let response = try await handler(request, context)
            // A 304 renews the headers of the answer that the client has (RFC 9111, 4.3.4), also the position as of which it holds. Of
            // other answers, only pictures are known by a tag.
            let isRead =
                response.status == .ok
                ? response.headers[.contentType] == ContentTypes.json
                : response.status == .notModified && !request.uri.path.hasPrefix(ImageRoutes.path)
            // The route's own position is kept, because it may be lower: a page of changes may end far before the log's end.
            guard isRead, response.headers[.greenTeaPosition] == nil else { return response }
            let named = request.headers.text(of: .greenTeaMinPosition).flatMap { UInt64($0) }
            // A route that does not wait accepts a position that does not exist yet, which the header must not name.
            let waited = min(named ?? 0, service.log.head.rawValue)
            return response.showing(Position(max(shown.rawValue, waited)))
        }
    }
}
