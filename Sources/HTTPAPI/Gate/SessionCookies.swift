import HTTPTypes
import Hummingbird
import Loyalty

/// The session of a browser, in cookies that no script can read.
///
/// Our own pages request the cookies with `GreenTea-Session: cookie` when they sign in or refresh; the answer then holds no token. A script
/// injected into a page can act while the page is open, but cannot steal a token for use elsewhere.
///
/// Both cookies are sent with every request, because the prefix `__Host-` demands the path `/`. The cookie of the access token is kept as
/// long as the cookie of the refresh token. So an expired access token is still sent, the answer is `tokenExpired`, and the page learns
/// that a refresh will help.
enum SessionCookie: String, CaseIterable, Sendable {
    /// The prefix `__Host-` makes browsers accept the cookie only over TLS (or from the same machine), and only for this host and all of
    /// its paths.
    case access = "__Host-greentea-access"
    case refresh = "__Host-greentea-refresh"

    /// The cookie's value in a request; nil if the request has no such cookie.
    ///
    /// - Throws: `unauthenticated` if the value is empty or too long, or if the name occurs twice. In the latter case, a page of a related
    ///   host has planted one of the two cookies, and the service cannot know which one.
    func value(in request: Request) throws(Problem) -> String? {
        var found: Substring?
        let start = rawValue + "="
        for field in request.headers where field.name == .cookie {
            for part in field.value.split(separator: ";") {
                let pair = part.trimmingSpaces
                guard pair.hasPrefix(start) else { continue }
                guard found == nil else { throw Problem(.unauthenticated) }
                found = pair.dropFirst(start.count)
            }
        }
        guard let found else { return nil }
        guard !found.isEmpty, found.utf8.count <= Limits.authorizationBytesMax else { throw Problem(.unauthenticated) }
        return String(found)
    }

    /// The header that stores a value in the browser.
    fileprivate func field(_ value: String) -> HTTPField {
        field(value, seconds: Loyalty.Limits.sessionValiditySeconds)
    }

    /// The header that removes the cookie from the browser.
    fileprivate var removal: HTTPField { field("", seconds: 0) }

    private func field(_ value: String, seconds: Int64) -> HTTPField {
        HTTPField(name: .setCookie, value: "\(rawValue)=\(value); Path=/; Max-Age=\(seconds); HttpOnly; Secure; SameSite=Lax")
    }
}

extension HTTPFields {
    /// Stores a session in the browser.
    mutating func storeSession(_ session: SessionAnswer) {
        append(SessionCookie.access.field(session.accessToken))
        append(SessionCookie.refresh.field(session.refreshToken))
    }

    /// Removes the session from the browser.
    mutating func removeSession() {
        for cookie in SessionCookie.allCases { append(cookie.removal) }
    }
}

extension Request {
    /// Whether the request has a cookie of a session, valid or not.
    var hasSessionCookie: Bool {
        headers.contains { field in
            field.name == .cookie && SessionCookie.allCases.contains { field.value.contains($0.rawValue + "=") }
        }
    }
}

extension Response {
    /// This answer, which also removes the session's cookies if the request has them.
    func signedOut(_ request: Request) -> Response {
        guard request.hasSessionCookie else { return self }
        var response = self
        response.headers.removeSession()
        return response
    }

    /// This answer. If the request has a session's cookie and the answer has no rule for caches, no cache may keep the answer. So a
    /// browser's "back" button does not show the answer after signing out.
    func privateIfByCookie(_ request: Request) -> Response {
        guard request.hasSessionCookie, headers[.cacheControl] == nil else { return self }
        return unstored()
    }
}

/// Distinguishes requests of our own pages from those of other sites.
///
/// A browser may send cookies with requests that pages of other sites cause. The browser names the site of such a page in a header that no
/// page can set: in `Sec-Fetch-Site` (Fetch Metadata), or in `Origin` if the browser is old or the connection has no TLS.
struct OwnPages: Sendable {
    private static let safe: Set<HTTPRequest.Method> = [.get, .head, .options]

    let address: PublicAddress

    /// Whether a browser states that a page of this service sent the request. Clients that are not browsers send no such header.
    func sent(_ request: Request) -> Bool {
        if let site = request.headers.text(of: .secFetchSite) { return site == "same-origin" }
        guard let origin = request.headers.text(of: .origin) else { return false }
        return origin.lowercased() == address.origin
    }

    /// Requires that a page of this service sent the request, unless the request only reads.
    ///
    /// - Throws: `forbidden` for a request that may change something, unless a browser states that a page of this service sent it.
    func requireOwn(_ request: Request) throws(Problem) {
        guard Self.safe.contains(request.method) || sent(request) else { throw Problem(.forbidden) }
    }

    /// Whether the sender requests its session in cookies.
    ///
    /// - Throws: `forbidden` unless our own page sent it; otherwise another site could sign its visitor in to a different account.
    func wantCookies(_ request: Request) throws(Problem) -> Bool {
        guard request.headers.text(of: .greenTeaSession) == "cookie" else { return false }
        guard sent(request) else { throw Problem(.forbidden) }
        return true
    }
}

extension PublicAddress {
    /// The address in the form of a browser's `Origin` header (RFC 6454, 6.2): without a path, without the scheme's default port, in lower
    /// case.
    var origin: String {
        let parts = text.lowercased().split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return "" }
        let host = parts[2].prefix { $0 != "/" }
        let usual = parts[0] == "https:" ? ":443" : ":80"
        return parts[0] + "//" + (host.hasSuffix(usual) ? host.dropLast(usual.count) : host)
    }
}

extension HTTPField.Name {
    /// The header with which our own pages request cookies in place of tokens; its value is `cookie`.
    static let greenTeaSession = Self("GreenTea-Session")!
    /// The relation of the requesting page's site to this one, stated by the browser (Fetch Metadata).
    static let secFetchSite = Self("Sec-Fetch-Site")!
}
