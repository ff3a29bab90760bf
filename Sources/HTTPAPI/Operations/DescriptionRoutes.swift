import HTTPTypes
import Hummingbird
import NIOCore

/// The routes of the API's description: OpenAPI 3.1 for programs and a page for people. The build compiles them in
/// (`Tools/EmbeddingPlugin`), so the server always describes its own version.
struct DescriptionRoutes {
    /// The page may use only the style sheet inside it, and loads nothing.
    private static let pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"

    var routes: [Route] {
        [
            Self.serving("/openapi.yaml", ContentTypes.yaml, DescriptionYAML.text),
            Self.serving("/openapi.json", ContentTypes.json, DescriptionJSON.text),
            Self.serving("/docs", ContentTypes.html, DescriptionPage.text, policy: Self.pagePolicy),
        ]
    }

    /// Converts the text to bytes once.
    private static func serving(_ path: String, _ contentType: String, _ text: String, policy: String? = nil) -> Route {
        var headers: HTTPFields = [.contentType: contentType]
        headers[.contentSecurityPolicy] = policy
        let body = ByteBuffer(string: text)
        return .get(path) { [headers] _, _ in Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body)) }
    }
}
