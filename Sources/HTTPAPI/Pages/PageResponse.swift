import HTTPTypes
import Hummingbird
import NIOCore
import WebPages

/// The caches that may keep a page, and for how long.
enum PageKeeping {
    /// Any cache may keep the page, for a minute. The page is the same for all readers of the language.
    case shared
    /// The browser may keep the page, and revalidates it each time. The page is a shell: it is the same for all readers, and scripts fetch
    /// its content.
    case shell
    /// No cache may keep the page, because it shows a code, or is the answer to a single request.
    case secret

    fileprivate var cacheControl: String {
        switch self {
        case .shared: "public, max-age=60"
        case .shell: "private, no-cache"
        case .secret: "no-store"
        }
    }
}

extension Response {
    /// A page for people, with the headers that keep its data private.
    static func page(_ page: WebPage, _ keeping: PageKeeping, status: HTTPResponse.Status = .ok) -> Response {
        var headers = pageHeaders
        headers[.cacheControl] = keeping.cacheControl
        if let tiles = page.tiles { headers[.contentSecurityPolicy] = WebPage.securityPolicy(tiles: tiles) }
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: page.html)))
    }

    /// Leads a reader without a session's cookie to the sign-in, and back to this page afterwards; nil for any other request. A service
    /// worker that fetches a shell to keep it is not led away, so that the shell opens offline after the sign-in.
    static func leadingToSignIn(_ request: Request) -> Response? {
        guard !request.hasSessionCookie, request.headers.text(of: .secFetchDest).map({ $0 == "document" }) ?? true else { return nil }
        let address = SignedInPage.signIn(returningTo: request.uri.description)
        return Response(status: .seeOther, headers: [.location: address, .cacheControl: "no-store"])
    }

    static func missingPage(in frame: PageFrame) -> Response { page(.notFound(in: frame), .secret, status: .notFound) }

    private static let pageHeaders: HTTPFields = [
        .contentType: ContentTypes.html, .contentSecurityPolicy: WebPage.securityPolicy, .xContentTypeOptions: "nosniff",
        .vary: "Accept, Accept-Language, Cookie", .permissionsPolicy: WebPage.permissionsPolicy, .crossOriginOpenerPolicy: "same-origin",
        .crossOriginResourcePolicy: "same-origin",
        // The address of a code's page contains the code, which linked sites must not learn. `no-referrer` would hide too much: with it,
        // browsers also omit `Origin` when our own forms are sent.
        .referrerPolicy: "same-origin",
    ]
}

extension Resources {
    /// The parts around a page's content, such as its language, for the sender of this request.
    func frame(of request: Request) -> PageFrame {
        PageFrame(
            language: PageLanguage(of: request), path: request.uri.description, publicURL: publicURL, tiles: configuration.mapTiles)
    }
}

extension PageLanguage {
    /// The cookie with the reader's choice of a language.
    static let cookie = "language"

    /// The language that the reader chose; without a choice, the one that the browser prefers.
    init(of request: Request) {
        if let chosen = request.cookies[Self.cookie].flatMap({ PageLanguage(rawValue: $0.value) }) {
            self = chosen
            return
        }
        switch Language(accepting: request.headers[.acceptLanguage]) {
        case .english: self = .english
        case .chinese: self = .chinese
        }
    }
}

extension HTTPField.Name {
    /// The use that the requesting browser makes of the answer (Fetch Metadata).
    static let secFetchDest = Self("Sec-Fetch-Dest")!
    static let permissionsPolicy = Self("Permissions-Policy")!
    static let crossOriginOpenerPolicy = Self("Cross-Origin-Opener-Policy")!
    static let crossOriginResourcePolicy = Self("Cross-Origin-Resource-Policy")!
}
