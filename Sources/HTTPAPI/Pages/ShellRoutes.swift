import EventLog
import HTTPTypes
import Hummingbird
import Loyalty
import LoyaltyCodec
import WebPages

/// The routes of the pages of signed-in people. The server sends shells without checking a session; their scripts use the API, which does
/// check it.
///
/// A shell is the same for everybody and contains no personal data, so a service worker may keep it. If the address of a card's or shop's
/// page has no valid id, the answer is `notFound`.
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
        return .page(page.page(in: frame), .shell)
    }

    /// Whether the address contains an id of the right kind. The API decides whether the thing exists.
    private func isNamed(_ subject: SignedInPage.Subject?, in context: APIContext) -> Bool {
        guard let subject else { return true }
        guard let text = context.parameters.get("id") else { return false }
        return switch subject {
        case .card: CardID(text: text) != nil
        case .shop: ShopID(text: text) != nil
        }
    }
}

/// The routes of the operator's pages. The server sends the pages as shells, without checking a session; the API's routes, which their
/// scripts use, check who is an operator.
struct OperatePageRoutes {
    /// The types of events, which the page of the log offers for its filter.
    private static let eventTypes = LoyaltySchema.schema.types.values.sorted()

    let resources: Resources

    var routes: [Route] {
        OperatePage.allCases.map { page in
            Route.get(page.path) { request, _ in
                .page(page.page(in: resources.frame(of: request), eventTypes: Self.eventTypes), .shell)
            }
        }
    }
}
