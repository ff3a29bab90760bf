import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec
import WebPages

/// The pages for signed-in people, as shells without data. Their scripts get the data from the API, which checks the session, so a service
/// worker may keep them. Without a cookie, the reader is led to the sign-in; without a valid id, the answer is 404.
struct ShellRoutes: RouteGroup {
    let resources: Resources

    var routes: [Route] {
        SignedInPage.allCases.map { page in
            Route.get(page.path) { request, context in try await show(page, request, context) }
        }
    }

    private func show(_ page: SignedInPage, _ request: Request, _ context: APIContext) async throws -> Response {
        let frame = resources.frame(of: request)
        guard isNamed(page.subject, in: context) else { return .missingPage(in: frame) }
        if page.needsSession, let leading = Response.leadingToSignIn(request) { return leading }
        return .page(page.page(in: frame), .shell)
    }

    /// The API decides whether the card or shop exists.
    private func isNamed(_ subject: SignedInPage.Subject?, in context: APIContext) -> Bool {
        guard let subject else { return true }
        guard let text = context.parameters.get("id") else { return false }
        return switch subject {
        case .card: CardID(text: text) != nil
        case .shop: ShopID(text: text) != nil
        }
    }
}

/// The operator's pages, as shells. The API checks the caller.
struct OperatePageRoutes: RouteGroup {
    private static let eventTypes = LoyaltySchema.schema.types.values.sorted()

    let resources: Resources

    var routes: [Route] {
        OperatePage.allCases.map { page in
            Route.get(page.path) { request, _ in
                Response.leadingToSignIn(request) ?? .page(page.page(in: resources.frame(of: request), eventTypes: Self.eventTypes), .shell)
            }
        }
    }
}
