import HTTPTypes
import Testing

/// Simulates a browser: it stores cookies, sends them with every request, and names the page that sends the request.
final class Browser {
    /// The page that sends a request.
    enum Sender {
        case ownPage, foreignPage
        /// A browser that sends the page's origin but no Fetch Metadata.
        case origin(String)
        /// A client that sends neither an origin nor Fetch Metadata, such as a program that is not a browser.
        case silent
    }

    static let accessName = "__Host-greentea-access"
    static let refreshName = "__Host-greentea-refresh"

    private let visitor: Visitor
    var jar: [String: String] = [:]

    init(_ visitor: Visitor) {
        self.visitor = visitor
    }

    /// Signs in with a phone number, as the sign-in page does.
    convenience init(_ visitor: Visitor, signedInAs phone: String) async throws {
        self.init(visitor)
        #expect(try await signIn(phone).status == 201)
    }

    func signIn(_ phone: String, from sender: Sender = .ownPage) async throws -> Reply {
        let code = try await visitor.post("/v1/verifications", #"{"phone":"\#(phone)"}"#).string("devCode")
        return try await send(.post, "/v1/sessions", #"{"phone":"\#(phone)","code":"\#(code)"}"#, from: sender, wantsCookies: true)
    }

    func refresh(from sender: Sender = .ownPage) async throws -> Reply {
        try await send(.post, "/v1/sessions/refresh", from: sender, wantsCookies: true)
    }

    func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil, key: String? = nil, from sender: Sender = .ownPage,
        wantsCookies: Bool = false, headers: HTTPFields = [:]
    ) async throws -> Reply {
        var fields = headers
        if !jar.isEmpty { fields[.cookie] = jar.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "; ") }
        switch sender {
        case .ownPage: (fields[Self.site], fields[.origin]) = ("same-origin", Stage.publicURL)
        case .foreignPage: (fields[Self.site], fields[.origin]) = ("cross-site", "https://evil.example")
        case .origin(let origin): fields[.origin] = origin
        case .silent: break
        }
        if wantsCookies { fields[HTTPField.Name("GreenTea-Session")!] = "cookie" }
        let reply = try await visitor.send(method, path, body, key: key, headers: fields)
        keep(reply.headers[values: .setCookie])
        return reply
    }

    /// Stores cookies like a browser. Each cookie must have the attributes that its name prefix requires.
    private func keep(_ cookies: [String]) {
        for cookie in cookies {
            let parts = cookie.split(separator: "; ").map(String.init)
            let pair = parts[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            #expect(parts.contains("HttpOnly") && parts.contains("Secure") && parts.contains("SameSite=Lax") && parts.contains("Path=/"))
            #expect(pair[0].hasPrefix("__Host-") && !cookie.contains("Domain"))
            jar[pair[0]] = parts.contains("Max-Age=0") ? nil : pair[1]
        }
    }

    static let site = HTTPField.Name("Sec-Fetch-Site")!
}
