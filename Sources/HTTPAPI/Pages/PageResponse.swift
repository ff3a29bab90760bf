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
        PageFrame(language: PageLanguage(of: request), path: request.uri.description, publicURL: publicURL, tiles: configuration.mapTiles)
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

/// Pages that show a problem to people; for programs, see ``ProblemAnswer``.
extension Resources {
    /// Nil for programs, which alone request `/v1`.
    func page(of problem: Problem, for request: Request, id: String) -> Response? {
        guard request.isForPeople, !request.uri.path.hasPrefix("/v1/") else { return nil }
        let frame = frame(of: request)
        let text = problem.code.text(in: frame.language)
        var response = Response.page(
            .problem(status: problem.code.status.code, title: text.title, detail: text.detail, requestID: id, in: frame), .secret,
            status: problem.code.status)
        response.headers[.requestID] = id
        if let seconds = problem.retryAfterSeconds { response.headers[.retryAfter] = String(seconds) }
        if let allow = problem.allow { response.headers[.allow] = allow }
        if problem.endsConnection { response.headers[.connection] = "close" }
        return response
    }
}

extension ProblemCode {
    /// The API's own sentence only if it suits people: some name headers.
    func text(in language: PageLanguage) -> (title: String, detail: String) {
        let text = ProblemText(self, in: language)
        return (text.title, WebPage.sentence(of: rawValue, in: language) ?? text.detail)
    }
}

extension Request {
    /// `Accept` names HTML. Programs name JSON, or accept anything.
    var isForPeople: Bool {
        for range in (headers[.accept] ?? "").lowercased().split(separator: ",") {
            let parts = range.split(separator: ";").map(\.trimmingSpaces)
            if parts.first == "text/html" { return !parts.dropFirst().contains { $0 == "q=0" || $0 == "q=0.0" } }
        }
        return false
    }
}
