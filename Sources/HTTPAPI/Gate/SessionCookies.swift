import HTTPTypes
import Hummingbird
import Loyalty

/// The session of a browser, in cookies that no script can read.
///
/// Our own pages ask for them with `GreenTea-Session: cookie` when they sign in or refresh; the answer then holds no token. A script that
/// got into a page by some hole can act while the page is open, and takes nothing away that works elsewhere.
///
/// Both cookies go with every request, because the prefix demands the path `/`. The access token's cookie lives as long as the other, so
/// that an expired token is answered `tokenExpired` and the page knows that a refresh will help.
enum SessionCookie: String, CaseIterable, Sendable {
    /// `__Host-`: browsers take such a cookie only over TLS (or from this very machine), for this host alone, and never from a script.
    case access = "__Host-greentea-access"
    case refresh = "__Host-greentea-refresh"

    /// The cookie's value; nil without one.
    ///
    /// - Throws: `unauthenticated` for one name twice: a neighbour's host planted one of them, and nobody knows which.
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

    /// The field that stores a value in the browser.
    fileprivate func field(_ value: String) -> HTTPField {
        field(value, seconds: Loyalty.Limits.sessionValiditySeconds)
    }

    /// The field that removes the cookie from the browser.
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
    /// Whether a browser sends a session along, good or not.
    var hasSessionCookie: Bool {
        headers.contains { field in
            field.name == .cookie && SessionCookie.allCases.contains { field.value.contains($0.rawValue + "=") }
        }
    }
}

extension Response {
    /// The same answer, which ends the session in the browser that sent the request, if it was one.
    func signedOut(_ request: Request) -> Response {
        guard request.hasSessionCookie else { return self }
        var response = self
        response.headers.removeSession()
        return response
    }

    /// The same answer, which no cache keeps where it depends on a cookie: a page that is left by "back" must not show it again.
    func privateIfByCookie(_ request: Request) -> Response {
        guard request.hasSessionCookie, headers[.cacheControl] == nil else { return self }
        return unstored()
    }
}

/// Tells requests of our own pages from those of anybody else's.
///
/// A browser sends cookies along with the requests of any page. It also says whose page that is, in fields that no page can set:
/// `Sec-Fetch-Site` (Fetch Metadata), or `Origin` from browsers that do not know the former or were reached without TLS.
struct OwnPages: Sendable {
    private static let safe: Set<HTTPRequest.Method> = [.get, .head, .options]

    let address: PublicAddress

    /// Whether a browser says that the request comes from a page of this service. No other client says anything.
    func sent(_ request: Request) -> Bool {
        if let site = request.headers.text(of: .secFetchSite) { return site == "same-origin" }
        guard let origin = request.headers.text(of: .origin) else { return false }
        return origin.lowercased() == address.origin
    }

    /// - Throws: `forbidden` for a request that changes something and was sent by somebody else's page.
    func requireOwn(_ request: Request) throws(Problem) {
        guard Self.safe.contains(request.method) || sent(request) else { throw Problem(.forbidden) }
    }

    /// Whether the sender wants its session in cookies.
    ///
    /// - Throws: `forbidden` for anybody but our own pages: else a foreign page could sign its visitor in as somebody else.
    func wantCookies(_ request: Request) throws(Problem) -> Bool {
        guard request.headers.text(of: .greenTeaSession) == "cookie" else { return false }
        guard sent(request) else { throw Problem(.forbidden) }
        return true
    }
}

extension PublicAddress {
    /// The address as a browser writes it in `Origin` (RFC 6454, 6.2): without a path and without the scheme's own port, in lower case.
    var origin: String {
        let parts = text.lowercased().split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return "" }
        let host = parts[2].prefix { $0 != "/" }
        let usual = parts[0] == "https:" ? ":443" : ":80"
        return parts[0] + "//" + (host.hasSuffix(usual) ? host.dropLast(usual.count) : host)
    }
}

extension HTTPField.Name {
    /// `cookie` from our own pages, which want no token in the answer.
    static let greenTeaSession = Self("GreenTea-Session")!
    /// The origin of the page that asks, as the browser says it (Fetch Metadata).
    static let secFetchSite = Self("Sec-Fetch-Site")!
}
