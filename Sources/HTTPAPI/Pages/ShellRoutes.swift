import HTTPTypes
import Hummingbird
import Loyalty
import LoyaltyCodec
import WebPages

/// The pages of signed-in people. The server sends shells and looks at no session: scripts ask the API, which does.
struct ShellRoutes {
    let resources: Resources

    var routes: [Route] {
        let pages = SignedInPage.allCases.map { page in
            Route.get(page.path) { request, context in try await show(page, request, context) }
        }
        return pages + [changePassword]
    }

    private func show(_ page: SignedInPage, _ request: Request, _ context: APIContext) async throws -> Response {
        let frame = resources.frame(of: request)
        if page.hasCard, context.parameters.get("id").flatMap({ CardID(text: $0) }) == nil { return .missingPage(in: frame) }
        return .page(page.page(in: frame), .shell)
    }

    /// Where password managers lead people (W3C, "A Well-Known URL for Changing Passwords").
    private var changePassword: Route {
        .get("/.well-known/change-password") { _, _ in Response(status: .seeOther, headers: [.location: SignedInPage.me.path]) }
    }
}
