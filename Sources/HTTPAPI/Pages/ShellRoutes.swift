import HTTPTypes
import Hummingbird
import Loyalty
import LoyaltyCodec
import WebPages

/// The pages of signed-in people. The server sends shells and looks at no session: scripts ask the API, which does.
///
/// A shell is the same for everybody, so a service worker may keep it, and it shows nothing of the person who asked for it. The page of a
/// card whose address has no card's id is missing.
struct ShellRoutes {
    let resources: Resources

    var routes: [Route] {
        SignedInPage.allCases.map { page in
            Route.get(page.path) { request, context in try await show(page, request, context) }
        }
    }

    private func show(_ page: SignedInPage, _ request: Request, _ context: APIContext) async throws -> Response {
        let frame = resources.frame(of: request)
        if page.hasCard, context.parameters.get("id").flatMap({ CardID(text: $0) }) == nil { return .missingPage(in: frame) }
        return .page(page.page(in: frame), .shell)
    }
}
