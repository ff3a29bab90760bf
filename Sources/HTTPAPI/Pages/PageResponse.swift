import HTTPTypes
import Hummingbird
import NIOCore
import WebPages

/// The caches that may keep a page.
enum PageKeeping {
    /// Any cache, for a minute: the page is the same for all readers of the language.
    case shared
    /// The browser, with revalidation: a shell is the same for all, and scripts fetch its content.
    case shell
    /// None: the page shows a code, or answers a single request.
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
    static func page(_ page: WebPage, _ keeping: PageKeeping, status: HTTPResponse.Status = .ok) -> Response {
        var headers = pageHeaders
        headers[.cacheControl] = keeping.cacheControl
        if let tiles = page.tiles { headers[.contentSecurityPolicy] = WebPage.securityPolicy(tiles: tiles) }
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: page.html)))
    }

    /// Leads a reader without a session to the sign-in and back; nil for other requests. A service worker is not led away, so that a kept
    /// shell opens offline after the sign-in.
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
        // A code's address contains the code, which linked sites must not learn. With `no-referrer`, browsers also omit `Origin` when our
        // own forms are sent.
        .referrerPolicy: "same-origin",
    ]
}

extension Resources {
    func frame(of request: Request) -> PageFrame {
        PageFrame(
            language: PageLanguage(of: request), path: request.uri.description, publicURL: publicURL, tiles: configuration.mapTiles)
    }
}

extension PageLanguage {
    static let cookie = "language"

    /// The reader's choice, else the browser's preference.
    init(of request: Request) {
        let chosen = request.cookies[Self.cookie].flatMap { PageLanguage(rawValue: $0.value) }
        self = chosen ?? PageLanguage(accepting: request.headers[.acceptLanguage])
    }
}

extension HTTPField.Name {
    /// Fetch Metadata.
    static let secFetchDest = Self("Sec-Fetch-Dest")!
    static let permissionsPolicy = Self("Permissions-Policy")!
    static let crossOriginOpenerPolicy = Self("Cross-Origin-Opener-Policy")!
    static let crossOriginResourcePolicy = Self("Cross-Origin-Resource-Policy")!
}
