import HTTPTypes
import Hummingbird
import NIOCore
import WebPages

/// A page's reach: the caches that may keep it, and for how long.
enum PageKeeping {
    /// Anybody, for a minute: it says the same to everybody who reads the language.
    case shared
    /// The browser, which asks each time whether it is still right: a shell, the same for everybody, whose content scripts fetch.
    case shell
    /// Nobody: it shows a code, or answers to one request.
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
    /// A page for people, with the headers that keep it to itself.
    static func page(_ page: WebPage, _ keeping: PageKeeping, status: HTTPResponse.Status = .ok) -> Response {
        var headers = pageHeaders
        headers[.cacheControl] = keeping.cacheControl
        if let tiles = page.tiles { headers[.contentSecurityPolicy] = WebPage.securityPolicy(tiles: tiles) }
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: page.html)))
    }

    static func missingPage(in frame: PageFrame) -> Response { page(.notFound(in: frame), .secret, status: .notFound) }

    private static let pageHeaders: HTTPFields = [
        .contentType: ContentTypes.html, .contentSecurityPolicy: WebPage.securityPolicy, .xContentTypeOptions: "nosniff",
        .vary: "Accept, Accept-Language, Cookie", .permissionsPolicy: WebPage.permissionsPolicy, .crossOriginOpenerPolicy: "same-origin",
        .crossOriginResourcePolicy: "same-origin",
        // The address of a code's page is the code: those whom the page links to are not to learn it. Unlike `no-referrer`, this leaves
        // a form of ours its `Origin`.
        .referrerPolicy: "same-origin",
    ]
}

extension Resources {
    /// The surroundings of a page's content, for the sender of this request.
    func frame(of request: Request) -> PageFrame {
        PageFrame(
            language: PageLanguage(of: request), path: request.uri.description, publicURL: publicURL, tiles: configuration.mapTiles)
    }
}

extension PageLanguage {
    /// The cookie with the language that somebody chose.
    static let cookie = "language"

    /// The language that the reader chose, else the one that the browser prefers.
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
    static let permissionsPolicy = Self("Permissions-Policy")!
    static let crossOriginOpenerPolicy = Self("Cross-Origin-Opener-Policy")!
    static let crossOriginResourcePolicy = Self("Cross-Origin-Resource-Policy")!
}
