import EventLog
import HTTPTypes
import Hummingbird
import Loyalty
import LoyaltyCodec
import WebPages

/// The pages of signed-in people. The server sends shells and looks at no session: scripts ask the API, which does.
///
/// A shell is the same for everybody, so a service worker may keep it, and it shows nothing of the person who asked for it. The page of a
/// card or shop whose address has no such id is missing.
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

    /// Whether the address has an id of the noun. Whether there is such a thing is the API's to say.
    private func isNamed(_ subject: SignedInPage.Subject?, in context: APIContext) -> Bool {
        guard let subject else { return true }
        guard let text = context.parameters.get("id") else { return false }
        return switch subject {
        case .card: CardID(text: text) != nil
        case .shop: ShopID(text: text) != nil
        }
    }
}

/// The operator's pages. As with those of signed-in people, the server sends shells and looks at no session; the routes that their scripts
/// ask decide who is an operator.
struct OperatePageRoutes {
    /// The types of events, for the page of the log to suggest.
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
