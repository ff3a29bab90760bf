import Foundation
import Hummingbird
import WebPages

/// Stores the reader's language in a cookie for a year.
struct LanguageRoutes: RouteGroup {
    private static let seconds = 365 * 86_400

    let resources: Resources

    var routes: [Route] { [.post("/language", choose)] }

    /// Changes only the sender's own cookie, and redirects only within this server.
    private func choose(_ request: Request, _ context: APIContext) async throws -> Response {
        let form = Form(String(decoding: try await request.bytes(atMost: Limits.formBytesMax), as: UTF8.self))
        guard let language = form["language"].flatMap({ PageLanguage(rawValue: $0) }) else {
            throw Problem.invalid("language", .oneOf(PageLanguage.allCases.map(\.rawValue)))
        }
        let secure = resources.publicURL.hasPrefix("https:") ? "; Secure" : ""
        return Response(
            status: .seeOther,
            headers: [
                .location: Self.place(form["back"]), .cacheControl: "no-store",
                .setCookie: "\(PageLanguage.cookie)=\(language.rawValue); Path=/; Max-Age=\(Self.seconds); SameSite=Lax\(secure)",
            ])
    }

    /// A path on this server, else `/`. Two slashes, or a slash and a backslash, would name another server.
    static func place(_ path: String?) -> String {
        guard let path, path.hasPrefix("/"), path.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x5C }), !path.hasPrefix("//")
        else { return "/" }
        return path
    }
}

/// `application/x-www-form-urlencoded`; the first field of a name counts.
struct Form {
    private let fields: [String: String]

    init(_ text: String) {
        let pairs = text.split(separator: "&").prefix(Limits.formFieldsMax).map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(Self.decoded)
            return (parts[0], parts.count > 1 ? parts[1] : "")
        }
        fields = Dictionary(pairs) { first, _ in first }
    }

    subscript(name: String) -> String? { fields[name] }

    private static func decoded(_ text: Substring) -> String { text.replacing("+", with: " ").removingPercentEncoding ?? "" }
}
