import HTTPTypes
import Testing

/// One endpoint with a request that is valid for at least one role, and the status that each role gets.
struct Row: Sendable, CustomTestStringConvertible {
    /// The request to send.
    struct Ask: Sendable {
        let path: String
        let body: String?
        var headers: HTTPFields = [:]

        init(_ path: String, _ body: String? = nil, headers: HTTPFields = [:]) {
            (self.path, self.body, self.headers) = (path, body, headers)
        }
    }

    /// The name from the API description, such as `POST /v1/stamps`.
    let name: String
    /// The expected status by role; `nil` if another test covers the role.
    let statuses: [Role: Int]
    let ask: @Sendable (Scene) async throws -> Ask

    /// Takes statuses in the order of the roles: none, customer, other, staff, owner, operator.
    ///
    /// - Parameter manager: a manager's status; `nil` for the status of other staff.
    init(_ name: String, _ statuses: [Int?], manager: Int? = nil, _ ask: @escaping @Sendable (Scene) async throws -> Ask) {
        self.name = name
        var known = Dictionary(
            uniqueKeysWithValues: zip(Role.named, statuses).compactMap { role, status in status.map { (role, $0) } })
        known[.manager] = manager ?? known[.staff]
        self.statuses = known
        self.ask = ask
    }

    /// Uses the same path for every role, and no body.
    init(_ name: String, _ statuses: [Int?], _ path: String) {
        self.init(name, statuses) { _ in Ask(path) }
    }

    var method: HTTPRequest.Method { HTTPRequest.Method(String(name.prefix { $0 != " " }))! }

    var testDescription: String { name }
}
