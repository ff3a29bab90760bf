import HTTPTypes
import Hummingbird
import NIOCore
import WebPages

extension Response {
    /// Seconds that a shared page may be kept on the way.
    private static let sharedPageSecondsMax = 60

    /// A page for people.
    ///
    /// - Parameter isShared: whether anybody may keep it; what shows a code nobody may.
    static func page(_ page: WebPage, isShared: Bool, status: HTTPResponse.Status = .ok) -> Response {
        let headers: HTTPFields = [
            .contentType: ContentTypes.html, .contentSecurityPolicy: WebPage.securityPolicy, .xContentTypeOptions: "nosniff",
            .vary: "Accept-Language", .cacheControl: isShared ? "public, max-age=\(sharedPageSecondsMax)" : "no-store",
            // The address of a code's page is the code; those whom the page links to are not to learn it.
            .referrerPolicy: "no-referrer",
        ]
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: page.html)))
    }

    static func missingPage(in language: PageLanguage) -> Response {
        page(.notFound(in: language), isShared: false, status: .notFound)
    }
}
