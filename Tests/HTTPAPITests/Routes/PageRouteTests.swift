import HTTPTypes
import Testing

@Suite("Pages", .timeLimit(.minutes(15)))
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

            // Pages show the present state of the read models. This API read first waits until the models contain the campaign.
            #expect(try await visitor.get("/v1/campaigns").status == 200)
            let campaign = try await visitor.get("/c/\(cast.campaign)")
            #expect(campaign.status == 200)
            #expect(campaign.text.contains("content=\"\(Stage.publicURL)/c/\(cast.campaign)\""))
            #expect(campaign.text.contains("<h1><bdi>Ten cups, the eleventh is free</bdi></h1>"))
            let shop = try await visitor.get("/s/\(cast.shop)")
            #expect(shop.status == 200)
            #expect(shop.text.contains("href=\"/c/\(cast.campaign)\""))

            let stamp = try await visitor.get(scanned)
            #expect(stamp.status == 200 && stamp.text.contains(typed))
            #expect(stamp.headers[.cacheControl] == "no-store")
            // The page must not reveal whether a code is valid.
            let guess = try await visitor.get("/s/00000000")
            #expect(guess.status == 200)
            #expect(guess.text.replacing("0000-0000", with: typed).replacing("/s/00000000", with: scanned) == stamp.text)
            #expect(try await visitor.get("/r/00000000").status == 200)

            for reply in [campaign, shop, stamp, guess] {
                #expect(reply.headers[.contentType] == "text/html; charset=utf-8")
                #expect(reply.headers[.contentSecurityPolicy]?.hasPrefix("default-src 'none'") == true)
                #expect(reply.headers[HTTPField.Name("Referrer-Policy")!] == "same-origin")
                #expect(reply.headers[.xContentTypeOptions] == "nosniff")
                #expect(reply.headers[HTTPField.Name("Cross-Origin-Opener-Policy")!] == "same-origin")
                #expect(!reply.text.contains(/<script(?! type="module" src="\/assets\/)/))
            }
            let head = stage.head
            for path in [
                "/c/camp_00000000000000000000000000", "/c/\(cast.shop)", "/s/nonsense!", "/s/shop_00000000000000000000000000", "/r/x",
            ] {
                let missing = try await visitor.get(path, headers: [.acceptLanguage: "zh"])
                #expect(missing.status == 404 && missing.text.contains("<html lang=\"zh-Hans\""), "\(path)")
            }
            #expect(stage.head == head)
        }
    }

    @Test("A picture that was taken down is on no page; the next one stands in its place")
    func picturesTakenDown() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let (gone, kept) = (try await cast.owner.picture(), try await cast.owner.picture(1))
            let edit = #"{"images":["\#(gone)","\#(kept)"]}"#
            #expect(try await cast.owner.patch("/v1/shops/\(cast.shop)", edit, headers: [.ifMatch: "*"]).status == 200)
            let html: HTTPFields = [.accept: "text/html"]
            let addresses = ["/s/\(cast.shop)", "/c/\(cast.campaign)", "/", "/?list=shops"]
            _ = try await visitor.get("/v1/shops")
            for address in addresses { #expect(try await visitor.get(address, headers: html).text.contains(gone), "\(address)") }
            #expect(try await cast.owner.delete("/v1/images/" + gone).status == 204)
            for address in addresses {
                let page = try await visitor.get(address, headers: html).text
                #expect(!page.contains(gone) && page.contains(kept), "\(address)")
            }
        }
    }

    @Test("Every scanned badge has the same page, without its code, and nothing else at that address has a page")
    func badges() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let badge = try await cast.customer.get("/v1/me/badge")
            let code = try badge.string("code")
            #expect(try badge.string("payload") == "\(Stage.publicURL)/b/\(code)")
            let page = try await visitor.get("/b/\(code)")
            #expect(page.status == 200 && page.headers[.cacheControl] == "no-store")
            #expect(page.text.contains("<h1>A customer&#39;s badge</h1>") || page.text.contains("<h1>A customer's badge</h1>"))
            let made = String(repeating: "A", count: 64)
            let other = try await visitor.get("/b/\(made)")
            #expect(other.text.replacing(made, with: code) == page.text)
            for text in [String(made.dropLast()), made + "A", String(made.dropLast()) + "!", "x"] {
                #expect(try await visitor.get("/b/\(text)").status == 404, "\(text)")
            }
        }
    }

    @Test("A scanned card on paper has the same page whether it was printed or not, and opening it changes nothing")
    func papers() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let printed = try await cast.owner.post(
                "/v1/shops/\(cast.shop)/paper-cards", #"{"campaign":"\#(cast.campaign)","count":1}"#, key: "print",
                headers: [.accept: "application/json"])
            let card = try #require(try printed.json["cards"]?.items?.first)
            let (code, payload) = (try #require(card["code"]?.string), try #require(card["payload"]?.string))
            let plain = code.replacing("-", with: "")
            #expect(payload == "\(Stage.publicURL)/p/\(plain)")
            let head = stage.head
            let page = try await visitor.get("/p/\(plain)")
            #expect(page.status == 200 && page.headers[.cacheControl] == "no-store")
            #expect(page.text.contains("<h1>A stamp card on paper</h1>") && page.text.contains(code))
            #expect(stage.head == head)
            let other = try await visitor.get("/p/K7QF2M9X0R3T8WBN")
            #expect(other.text.replacing("K7QF-2M9X-0R3T-8WBN", with: code).replacing("K7QF2M9X0R3T8WBN", with: plain) == page.text)
            for text in [String(plain.dropLast()), plain + "0", String(plain.dropLast()) + "!", "x"] {
                #expect(try await visitor.get("/p/\(text)").status == 404, "\(text)")
            }
        }
    }

    @Test("Assets are compressed for clients that accept it, kept for ever under an address with a hash, and revalidated by ETag")
    func assets() async throws {
        try await onStage { stage, visitor in
            let page = try await visitor.get("/c/x")
            let style = try #require(page.text.firstMatch(of: #/"(\/assets\/style\.[0-9a-f]+\.css)"/#).map { String($0.1) })
            let plain = try await visitor.get(style)
            #expect(plain.status == 200 && plain.headers[.contentType] == "text/css; charset=utf-8")
            #expect(plain.headers[.cacheControl] == "public, max-age=31536000, immutable" && plain.headers[.contentEncoding] == nil)
            let packed = try await visitor.get(style, headers: [.acceptEncoding: "br, gzip;q=0.5"])
            #expect(packed.headers[.contentEncoding] == "gzip" && packed.body.count < plain.body.count)
            for header in ["*", "*;q=0, gzip", "identity;q=0, gzip;q=0.1", "br;q=0, *;q=0.1"] {
                let body = try await visitor.get(style, headers: [.acceptEncoding: header]).body
                #expect(body == packed.body, "\(header)")
            }
            for header in ["gzip;q=0", "*, gzip;q=0", "*;q=0", "identity;q=0", "br"] {
                let body = try await visitor.get(style, headers: [.acceptEncoding: header]).body
                #expect(body == plain.body, "\(header)")
            }
            let tag = try #require(plain.headers[.eTag])
            let again = try await visitor.get(style, headers: [.ifNoneMatch: "\"other\", W/\(tag)"])
            #expect(again.status == 304 && again.body.isEmpty)
            // An asset name with another hash belongs to another release, so it is not found.
            #expect(try await visitor.get("/assets/style.0000000000000000.css").status == 404)
            #expect(try await visitor.get("/assets/..%2Fstyle.css").status == 404)
            for path in ["/manifest.webmanifest", "/favicon.ico"] {
                let fixed = try await visitor.get(path)
                #expect(fixed.status == 200 && fixed.headers[.cacheControl] == "no-cache" && fixed.headers[.eTag] != nil)
            }
        }
    }

    @Test("A chosen language takes precedence over the browser's, and choosing leads back to this server only")
    func language() async throws {
        try await onStage { _, visitor in
            let chinese = try await visitor.get("/c/x", headers: [.acceptLanguage: "en", .cookie: "a=b; language=zh-Hans"])
            #expect(chinese.text.contains("<html lang=\"zh-Hans\""))
            let unknown = try await visitor.get("/c/x", headers: [.acceptLanguage: "zh", .cookie: "language=tlh"])
            #expect(unknown.text.contains("<html lang=\"zh-Hans\""))
            let places = [
                ("%2Fc%2Fx%3Fa%3D1", "/c/x?a=1"), ("%2F%2Fevil.example", "/"), ("%2F%5Cevil.example", "/"),
                ("https%3A%2F%2Fevil.example", "/"),
                ("%2Fa%0D%0ASet-Cookie%3A+x%3Dy", "/"), ("", "/"),
            ]
            for (back, place) in places {
                let chosen = try await visitor.post("/language", "back=\(back)&language=zh-Hans")
                #expect(chosen.status == 303 && chosen.headers[.location] == place, "\(back)")
                #expect(chosen.headers[.setCookie]?.hasPrefix("language=zh-Hans; Path=/;") == true)
            }
            try await visitor.post("/language", "language=tlh").expectProblem("invalidRequest", 400)
        }
    }

    @Test("A problem is a page for a browser and JSON for a client; below /v1 it is JSON for both")
    func problems() async throws {
        try await onStage { _, visitor in
            let browser: HTTPFields = [.accept: "text/html,application/xhtml+xml,*/*;q=0.8", .acceptLanguage: "zh"]
            let page = try await visitor.get("/nothing", headers: browser)
            #expect(page.status == 404 && page.headers[.contentType] == "text/html; charset=utf-8")
            #expect(page.text.contains("此地址没有内容") && page.text.contains("href=\"/\""))
            for accepted in ["*/*", "application/json", "text/html;q=0, */*"] {
                try await visitor.get("/nothing", headers: [.accept: accepted]).expectProblem("notFound", 404)
            }
            try await visitor.get("/v1/nothing", headers: browser).expectProblem("notFound", 404)
            let wrong = try await visitor.get("/language", headers: browser)
            #expect(wrong.status == 405 && wrong.headers[.allow] == "OPTIONS, POST" && wrong.text.contains("<h1>"))
        }
    }

    @Test("The first page is HTML for a browser and says where the description is to a program")
    func home() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            // Pages show the present state of the read models. This API read first waits until the models contain the campaign.
            #expect(try await visitor.get("/v1/campaigns").status == 200)
            let browser: HTTPFields = [.accept: "text/html"]
            for path in ["/", "/?list=shops", "/?q=Ten", "/?near=31.23,121.47", "/?kind=stampCard&sort=popular", "/?sort=rating"] {
                let page = try await visitor.get(path, headers: browser)
                #expect(page.status == 200 && page.headers[.contentType] == "text/html; charset=utf-8", "\(path)")
                #expect(page.text.contains(path == "/?list=shops" ? "/s/\(cast.shop)" : "/c/\(cast.campaign)"), "\(path)")
            }
            #expect(try await visitor.get("/?q=nowhere", headers: browser).text.contains("Nothing found"))
            // The shop names no hours.
            #expect(try await visitor.get("/?open=true", headers: browser).text.contains("/c/\(cast.campaign)") == false)
            for path in [
                "/?kind=x", "/?near=91,0", "/?sort=distance", "/?list=x", "/?cursor=x", "/?q=" + String(repeating: "a", count: 101),
            ] {
                let page = try await visitor.get(path, headers: browser)
                #expect(page.status == 400 && page.headers[.contentType] == "text/html; charset=utf-8", "\(path)")
            }
            let program = try await visitor.get("/")
            #expect(program.status == 200 && program.headers[.contentType] == "application/json")
            #expect(try program.string("description") == Stage.publicURL + "/openapi.json")
        }
    }

    @Test("Search engines and password managers find their files")
    func forPrograms() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            // Site maps show the present state of the read models. These API reads first wait until the models contain the shop and its
            // campaign.
            #expect(try await visitor.get("/v1/campaigns").status == 200)
            #expect(try await visitor.get("/v1/shops").status == 200)
            let robots = try await visitor.get("/robots.txt")
            #expect(robots.text.contains("Disallow: /v1/") && robots.text.contains("Sitemap: \(Stage.publicURL)/sitemap.xml"))
            let index = try await visitor.get("/sitemap.xml")
            #expect(index.headers[.contentType] == "application/xml; charset=utf-8")
            for match in index.text.matches(of: #/<loc>([^<]+)<\/loc>/#) {
                let map = try await visitor.get(String(match.1.dropFirst(Stage.publicURL.count)))
                #expect(map.status == 200 && map.text.contains("<loc>\(Stage.publicURL)/"))
            }
            #expect(try await visitor.get("/sitemap/campaigns.xml").text.contains("/c/\(cast.campaign)</loc>"))
            #expect(try await visitor.get("/sitemap/shops.xml").text.contains("/s/\(cast.shop)</loc>"))
            #expect(try await visitor.get("/sitemap/people.xml").status == 404)
            let change = try await visitor.get("/.well-known/change-password")
            #expect(change.status == 303 && change.headers[.location] == "/me#password")
            let proof = try await visitor.get("/proof")
            let checkpoint = try await visitor.get("/checkpoint").text
            #expect(proof.status == 200 && proof.text.contains(String(checkpoint.prefix { $0 != "\n" })))
        }
    }

    @Test("Reviews continue page by page, by the cursors of the API's list, and a cursor of another list is refused")
    func reviews() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            for number in 0..<12 { _ = try await cast.customer.post("/v1/shops/\(cast.shop)/reviews", #"{"text":"visit \#(number)."}"#) }
            // The page shows the present state of the read model. The author's own API read first waits until the model contains the
            // review.
            #expect(try await cast.customer.get("/v1/shops/\(cast.shop)/reviews").status == 200)
            let first = try await visitor.get("/s/\(cast.shop)")
            #expect(first.text.contains("visit 11.") && !first.text.contains("visit 1."))
            let link = try #require(first.text.firstMatch(of: #/href="([^"]+\?reviews=[^"#]+)#reviews"/#).map { String($0.1) })
            let second = try await visitor.get(link)
            #expect(second.text.contains("visit 1.") && second.text.contains("visit 0.") && !second.text.contains("visit 2."))
            #expect(try await visitor.get("/s/\(cast.shop)?reviews=x", headers: [.accept: "text/html"]).status == 400)
            let list = try await visitor.get("/v1/shops/\(cast.shop)/reviews?limit=1").string("next")
            let third = try await visitor.get("/s/\(cast.shop)?reviews=\(list)")
            #expect(third.text.contains("visit 10.") && !third.text.contains("visit 11."))
            let other = try await visitor.signedIn("+8613800138003").post("/v1/shops", Cast.shopBody).string("id")
            #expect(try await visitor.get("/s/\(other)?reviews=\(list)").status == 400)
        }
    }
}
