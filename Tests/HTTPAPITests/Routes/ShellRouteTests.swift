import HTTPTypes
import Testing
import WebPages

@testable import HTTPAPI

@Suite("Pages of signed-in people", .timeLimit(.minutes(15)))
struct ShellRouteTests {
    private static let card = "card_01hv0000000000000000000000"

    private static let shop = "shop_01hv0000000000000000000000"

    /// The header of a service worker that fetches a shell to keep it, and is not led to the sign-in.
    private static let worker = HTTPField.Name("Sec-Fetch-Dest")!

    private static func path(of page: SignedInPage) -> String {
        page.path.replacing("{id}", with: page.subject == .shop ? shop : card)
    }

    @Test(
        "Every page is a shell in the reader's language, which no frame may show and which has no script in its text",
        arguments: SignedInPage.allCases)
    func shells(_ page: SignedInPage) async throws {
        try await onStage { stage, visitor in
            for (language, tag) in [("en", "en"), ("zh-CN", "zh-Hans")] {
                let reply = try await visitor.get(Self.path(of: page), headers: [.acceptLanguage: language, Self.worker: "empty"])
                #expect(reply.status == 200)
                #expect(reply.headers[.contentType] == "text/html; charset=utf-8")
                #expect(reply.text.contains("<html lang=\"\(tag)\""))
                #expect(reply.headers[.contentSecurityPolicy]?.contains("frame-ancestors 'none'") == true)
                #expect(reply.headers[.cacheControl] == "private, no-cache")
                #expect(reply.text.contains(/<script type="module" src="\/assets\/[\w-]+\.[0-9a-f]{16}\.js"><\/script>/))
                #expect(!reply.text.contains(/<script(?! type="module" src="\/assets\/)/))
                #expect(reply.text.contains("<noscript>"))
            }
            #expect(stage.head == 0)
        }
    }

    @Test("A page is the same for everybody, whatever cookies come along")
    func same() async throws {
        try await onStage { _, visitor in
            let browser = try await Browser(visitor, signedInAs: "+8613800138023")
            for page in SignedInPage.allCases {
                let path = Self.path(of: page)
                let (signedIn, anonymous) = (
                    try await browser.send(.get, path), try await visitor.get(path, headers: [Self.worker: "empty"])
                )
                #expect(signedIn.text == anonymous.text, "\(path)")
            }
        }
    }

    @Test("A reader without a session is led to the sign-in and back, except where a page has something for everybody")
    func signedOut() async throws {
        try await onStage { _, visitor in
            let paths = SignedInPage.allCases.filter(\.needsSession).map(Self.path(of:)) + OperatePage.allCases.map(\.path)
            for path in paths + ["/shop/\(Self.shop)/numbers/what-if"] {
                let headers: [HTTPFields] = [[:], [Self.worker: "document"]]
                for fields in headers {
                    let reply = try await visitor.get(path + "?a=1&b=2", headers: fields)
                    #expect(reply.status == 303 && reply.headers[.cacheControl] == "no-store", "\(path)")
                    let back = path.replacing("/", with: "%2F") + "%3Fa%3D1%26b%3D2"
                    #expect(reply.headers[.location] == "/sign-in?over=maybe&next=" + back, "\(path)")
                }
            }
            for page in SignedInPage.allCases where !page.needsSession {
                #expect(try await visitor.get(Self.path(of: page)).status == 200)
            }
        }
    }

    @Test("A shop's page needs a shop's id")
    func malformedShop() async throws {
        try await onStage { _, visitor in
            for page in SignedInPage.allCases where page.subject == .shop {
                for id in ["x", Self.card, "shop_", "shop_01hv000000000000000000000%2f"] {
                    let reply = try await visitor.get(page.path.replacing("{id}", with: id))
                    #expect(reply.status == 404 && reply.headers[.contentType] == "text/html; charset=utf-8", "\(page.path) \(id)")
                }
            }
        }
    }

    @Test("A card's page needs a card's id")
    func malformed() async throws {
        try await onStage { _, visitor in
            for id in ["x", "camp_01hv0000000000000000000000", "card_", "card_01hv000000000000000000000%2f"] {
                let reply = try await visitor.get("/wallet/\(id)")
                #expect(reply.status == 404 && reply.headers[.contentType] == "text/html; charset=utf-8", "\(id)")
                #expect(try await visitor.get("/wallet/\(id)/redeem").status == 404)
            }
        }
    }
}
