import HTTPTypes
import Hummingbird
import Loyalty

/// A browser's session in cookies that no script can read: an injected script cannot steal a token. Our pages request them with
/// `GreenTea-Session: cookie`.
///
/// The cookie of the access token is kept as long as that of the refresh token, so that the answer to an expired one is `tokenExpired`, and
/// the page refreshes.
enum SessionCookie: String, CaseIterable, Sendable {
    /// `__Host-`: only over TLS (or from the same machine), only for this host, for all of its paths.
    case access = "__Host-greentea-access"
    case refresh = "__Host-greentea-refresh"

    /// Nil if the request has no such cookie.
    ///
    /// - Throws: `unauthenticated` if the value is empty or too long, or the name occurs twice: a page of a related host has then planted
    ///   one of them.
    func value(in request: Request) throws(Problem) -> String? {
        let found = request.cookies(named: rawValue)
        guard let value = found.first else { return nil }
        guard found.count == 1, !value.isEmpty, value.utf8.count <= Limits.authorizationBytesMax else { throw Problem(.unauthenticated) }
        return String(value)
    }

    fileprivate func field(_ value: String) -> HTTPField { field(value, seconds: Loyalty.Limits.sessionValiditySeconds) }

    fileprivate var removal: HTTPField { field("", seconds: 0) }

    private func field(_ value: String, seconds: Int64) -> HTTPField { .cookie(rawValue, value, seconds: seconds) }
}

extension HTTPField {
    static func cookie(_ name: String, _ value: String, seconds: Int64) -> HTTPField {
        HTTPField(name: .setCookie, value: "\(name)=\(value); Path=/; Max-Age=\(seconds); HttpOnly; Secure; SameSite=Lax")
    }
}

extension HTTPFields {
    mutating func storeSession(_ session: SessionAnswer) {
        append(SessionCookie.access.field(session.accessToken))
        append(SessionCookie.refresh.field(session.refreshToken))
    }

    mutating func removeSession() {
        for cookie in SessionCookie.allCases { append(cookie.removal) }
    }
}

extension Request {
    func cookies(named name: String) -> [Substring] {
        var found: [Substring] = []
        let start = name + "="
        for field in headers where field.name == .cookie {
            for part in field.value.split(separator: ";") {
                let pair = part.trimmingSpaces
                if pair.hasPrefix(start) { found.append(pair.dropFirst(start.count)) }
            }
        }
        return found
    }

    /// Valid or not.
    var hasSessionCookie: Bool {
        headers.contains { field in
            field.name == .cookie && SessionCookie.allCases.contains { field.value.contains($0.rawValue + "=") }
        }
    }
}

extension Response {
    /// Also removes the session's cookies.
    func signedOut(_ request: Request) -> Response {
        guard request.hasSessionCookie else { return self }
        var response = self
        response.headers.removeSession()
        return response
    }

    /// Keeps caches from storing an answer to a cookie, so that the "back" button does not show it after signing out.
    func privateIfByCookie(_ request: Request) -> Response {
        guard request.hasSessionCookie, headers[.cacheControl] == nil else { return self }
        return unstored()
    }
}

/// Distinguishes our own pages' requests from those that other sites cause with the same cookies. Browsers name the site in
/// `Sec-Fetch-Site` or, if old or without TLS, in `Origin`; no page can set these.
struct OwnPages: Sendable {
    private static let safe: Set<HTTPRequest.Method> = [.get, .head, .options]

    let address: PublicAddress

    /// Clients other than browsers send no such header.
    func sent(_ request: Request) -> Bool {
        if let site = request.headers.text(of: .secFetchSite) { return site == "same-origin" }
        guard let origin = request.headers.text(of: .origin) else { return false }
        return origin.lowercased() == address.origin
    }

    /// - Throws: `forbidden` for a request that may change something, unless a browser states that our page sent it.
    func requireOwn(_ request: Request) throws(Problem) {
        guard Self.safe.contains(request.method) || sent(request) else { throw Problem(.forbidden) }
    }

    /// - Throws: `forbidden` unless our own page sent it, or another site could sign its visitor in to a different account.
    func wantCookies(_ request: Request) throws(Problem) -> Bool {
        guard request.headers.text(of: .greenTeaSession) == "cookie" else { return false }
        guard sent(request) else { throw Problem(.forbidden) }
        return true
    }
}

extension PublicAddress {
    /// The form of `Origin` (RFC 6454, 6.2): without path and default port, in lower case.
    var origin: String {
        let parts = text.lowercased().split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return "" }
        let host = parts[2].prefix { $0 != "/" }
        let usual = parts[0] == "https:" ? ":443" : ":80"
        return parts[0] + "//" + (host.hasSuffix(usual) ? host.dropLast(usual.count) : host)
    }
}

extension HTTPField.Name {
    static let greenTeaSession = Self("GreenTea-Session")!
    static let secFetchSite = Self("Sec-Fetch-Site")!
}
