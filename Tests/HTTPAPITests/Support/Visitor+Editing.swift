import HTTPTypes
import Testing

extension Visitor {
    /// `PATCH`, of what was seen with this entity tag; `nil` sends no `If-Match`.
    func edit(_ path: String, _ body: String, seen tag: String?, key: String? = nil) async throws -> Reply {
        try await send(.patch, path, body, key: key, headers: tag.map { [.ifMatch: $0] } ?? [:])
    }

    func put(_ path: String, _ body: String? = nil, key: String? = nil) async throws -> Reply {
        try await send(.put, path, body, key: key)
    }

    /// The entity tag of what is there now.
    func tag(of path: String) async throws -> String {
        try #require(try await get(path).headers[.eTag])
    }
}
