import HTTPTypes
import Hummingbird

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

/// The routes of one resource.
protocol RouteGroup {
    init(resources: Resources)

    var routes: [Route] { get }
}

/// The methods of each path. A plain list, because it is searched only if the router found no route.
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

        /// The literal segments. Of several matching paths the most exact is used, as in the router.
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
