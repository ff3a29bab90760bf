import HTTPTypes
import Testing
import WebPages

@testable import HTTPAPI

@Suite("The operator's pages", .timeLimit(.minutes(15)))
struct OperatePageTests {
    /// The header of a service worker, which is not led to the sign-in.
    private static let worker = HTTPField.Name("Sec-Fetch-Dest")!

    @Test(
        "Every page is a shell in the reader's language, which shows nothing before its script has asked",
        arguments: OperatePage.allCases)
    func shells(_ page: OperatePage) async throws {
        try await onStage { stage, visitor in
            for (language, tag) in [("en", "en"), ("zh-CN", "zh-Hans")] {
                let reply = try await visitor.get(page.path, headers: [.acceptLanguage: language, Self.worker: "empty"])
                #expect(reply.status == 200)
                #expect(reply.headers[.contentType] == "text/html; charset=utf-8")
                #expect(reply.text.contains("<html lang=\"\(tag)\""))
                #expect(reply.headers[.cacheControl] == "private, no-cache")
                #expect(reply.headers[.contentSecurityPolicy]?.contains("frame-ancestors 'none'") == true)
                #expect(reply.text.contains("<meta name=\"robots\" content=\"noindex\">"))
                #expect(reply.text.contains("<div id=\"operate\" class=\"operate\" hidden>") && reply.text.contains("<noscript>"))
                #expect(reply.text.contains("href=\"\(page.path)\" aria-current=\"page\""))
                #expect(!reply.text.contains(/<script(?! type="module" src="\/assets\/)/))
            }
            #expect(stage.head == 0)
        }
    }

    @Test("A page is the same for an operator, a customer and a stranger")
    func same() async throws {
        try await onStage { _, visitor in
            let customer = try await Browser(visitor, signedInAs: "+8613800138023")
            let head = try await Browser(visitor, signedInAs: Stage.operatorPhone)
            for page in OperatePage.allCases {
                let anonymous = try await visitor.get(page.path, headers: [Self.worker: "empty"]).text
                let customerSees = try await customer.send(.get, page.path).text
                #expect(customerSees == anonymous, "\(page)")
                let headSees = try await head.send(.get, page.path).text
                #expect(headSees == anonymous, "\(page)")
            }
        }
    }

    @Test("The log's page suggests every type of event, and no other page does")
    func types() async throws {
        try await onStage { _, visitor in
            let log = try await visitor.get(OperatePage.log.path, headers: [Self.worker: "empty"]).text
            for type in ["CardStamped", "AccountSuspended", "ShopSuspended"] {
                #expect(log.contains("<option value=\"\(type)\">"), "\(type)")
            }
            let health = try await visitor.get(OperatePage.health.path, headers: [Self.worker: "empty"]).text
            #expect(!health.contains("<option"))
        }
    }

    @Test("An address below /operate that has no page is answered with 404")
    func missing() async throws {
        try await onStage { _, visitor in
            for path in ["/operate/nothing", "/operate/log/1", "/operate/accounts/acct_01hv0000000000000000000000"] {
                let reply = try await visitor.get(path)
                #expect(reply.status == 404, "\(path)")
            }
        }
    }
}
