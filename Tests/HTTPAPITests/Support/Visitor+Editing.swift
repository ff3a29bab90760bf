import HTTPTypes
import Testing

extension Visitor {
    /// Sends `PATCH` with the entity tag that was seen; `nil` sends no `If-Match`.
    func edit(_ path: String, _ body: String, seen tag: String?, key: String? = nil) async throws -> Reply {
        try await send(.patch, path, body, key: key, headers: tag.map { [.ifMatch: $0] } ?? [:])
    }

    func put(_ path: String, _ body: String? = nil, key: String? = nil) async throws -> Reply {
        try await send(.put, path, body, key: key)
    }

    /// The current entity tag of the resource at this path.
    func tag(of path: String) async throws -> String {
        let tag = try #require(try await get(path).headers[.eTag])
        return "\(tag.prefix { $0 != "-" })\""
    }
}
