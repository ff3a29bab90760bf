import EventLog
import HTTPTypes
import Hummingbird
import Loyalty
import LoyaltyCodec
import WebPages

/// The routes of the pages for signed-in people. The server sends each page as a shell, a page without data. The shell's script gets the
/// data from the API, which checks the session. A reader without a session's cookie is led to the sign-in at once.
///
/// A shell is the same for everybody and contains no personal data, so a service worker may keep it. If the address of a card's or shop's
/// page has no valid id, the answer is the page for status 404.
struct ShellRoutes {
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

    /// Whether the address contains the id that the page needs. The API decides whether a card or shop with this id exists.
    private func isNamed(_ subject: SignedInPage.Subject?, in context: APIContext) -> Bool {
        guard let subject else { return true }
        guard let text = context.parameters.get("id") else { return false }
        return switch subject {
        case .card: CardID(text: text) != nil
        case .shop: ShopID(text: text) != nil
        }
    }
}

/// The routes of the operator's pages, which are shells like those of signed-in people. The API checks that the caller is an operator.
struct OperatePageRoutes {
    /// The event types that the page of the log offers for filtering.
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
