import HTTPTypes
import Testing

@Suite("Pages")
struct PageRouteTests {
    @Test("A campaign, a shop and a scanned code have a page, and an unknown or malformed ID gets 404")
    func pages() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let code = try await cast.owner.post("/v1/campaigns/\(cast.campaign)/codes")
            let typed = try code.string("code")
            let payload = try code.string("payload")
            #expect(payload.hasPrefix(Stage.publicURL + "/s/"))
            let scanned = String(payload.dropFirst(Stage.publicURL.count))

            let campaign = try await visitor.get("/c/\(cast.campaign)")
            #expect(campaign.status == 200)
            #expect(campaign.text.contains("content=\"\(Stage.publicURL)/c/\(cast.campaign)\""))
            #expect(campaign.text.contains("<h1>Ten cups, the eleventh is free</h1>"))
            let shop = try await visitor.get("/s/\(cast.shop)")
            #expect(shop.status == 200)
            #expect(shop.text.contains("<a href=\"\(Stage.publicURL)/c/\(cast.campaign)\""))

            let stamp = try await visitor.get(scanned)
            #expect(stamp.status == 200 && stamp.text.contains(typed))
            #expect(stamp.headers[.cacheControl] == "no-store")
            // The page must not reveal whether a code is valid.
            let guess = try await visitor.get("/s/00000000")
            #expect(guess.status == 200)
            #expect(guess.text.replacing("0000-0000", with: typed) == stamp.text)
            #expect(try await visitor.get("/r/00000000").status == 200)

            for reply in [campaign, shop, stamp, guess] {
                #expect(reply.headers[.contentType] == "text/html; charset=utf-8")
                #expect(reply.headers[.contentSecurityPolicy]?.hasPrefix("default-src 'none'") == true)
                #expect(reply.headers[HTTPField.Name("Referrer-Policy")!] == "no-referrer")
                #expect(!reply.text.contains("<script"))
            }
            let head = stage.head
            for path in [
                "/c/camp_00000000000000000000000000", "/c/\(cast.shop)", "/s/nonsense!", "/s/shop_00000000000000000000000000", "/r/x",
            ] {
                let missing = try await visitor.get(path, headers: [.acceptLanguage: "zh"])
                #expect(missing.status == 404 && missing.text.contains("<html lang=\"zh-Hans\">"), "\(path)")
            }
            #expect(stage.head == head)
        }
    }
}
