import CommandService
import Composition
import HTTPTypes
import Loyalty
import LoyaltyCodec
import ReadModels
import Sheets
import Testing

@testable import HTTPAPI

@Suite("Cards on paper", .timeLimit(.minutes(15)))
struct PaperTests {
    /// Prints cards and returns their codes.
    private func codes(_ cast: Cast, count: Int = 2, key: String = "print") async throws -> [String] {
        let reply = try await cast.owner.post(
            "/v1/shops/\(cast.shop)/paper-cards", #"{"campaign":"\#(cast.campaign)","count":\#(count)}"#, key: key,
            headers: [.accept: "application/json"])
        #expect(reply.status == 201, "\(reply.text)")
        return try #require(try reply.json["cards"]?.items?.compactMap { $0["code"]?.string })
    }

    private func sheet(_ cast: Cast, count: Int = 2, key: String = "sheet", as visitor: Visitor? = nil) async throws -> Reply {
        try await (visitor ?? cast.owner).post(
            "/v1/shops/\(cast.shop)/paper-cards", #"{"campaign":"\#(cast.campaign)","count":\#(count)}"#, key: key)
    }

    private func give(_ cast: Cast, _ code: String, stamps: Int = 1, key: String, as visitor: Visitor? = nil) async throws -> Reply {
        try await (visitor ?? cast.owner).post(
            "/v1/campaigns/\(cast.campaign)/stamps", #"{"paper":"\#(code)","stamps":\#(stamps)}"#, key: key)
    }

    private func take(_ code: String, as visitor: Visitor, key: String = "take") async throws -> Reply {
        try await visitor.post("/v1/me/paper-cards", #"{"code":"\#(code)"}"#, key: key)
    }

    @Test("A paper card is stamped, then taken, and then identifies its holder at the counter")
    func aPapersLife() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let code = try await codes(cast)[0]
            let waiting = try await give(cast, code, stamps: 2, key: "one")
            #expect(waiting.status == 201, "\(waiting.text)")
            #expect(try waiting.json.names == ["cards", "paper", "added", "position", "at"])
            #expect(try waiting.int("paper", "stamps") == 2 && waiting.int("paper", "goal") == 3 && waiting.int("added") == 0)
            try await give(cast, code, stamps: 2, key: "two").expectProblem("cardLimitReached", 409)
            // Stamps on a paper card do not expire within weeks.
            stage.clock.advance(seconds: 30 * 86_400)
            let customer = try await visitor.signedIn("+8613800138002")
            let taken = try await take(code.lowercased().filter { $0 != "-" }, as: customer)
            #expect(taken.status == 201, "\(taken.text)")
            #expect(try taken.json.names == ["campaign", "card", "cards", "added", "position"])
            #expect(try taken.int("added") == 2 && taken.int("card", "stamps") == 2)
            let card = try taken.string("card", "id")
            #expect(try await customer.get("/v1/cards/\(card)").int("stamps") == 2)
            let head = stage.head
            #expect(try await take(code, as: customer).body == taken.body)
            #expect(stage.head == head)
            let owner = try await visitor.signedIn("+8613800138001")
            let given = try await give(cast, code, key: "three", as: owner)
            #expect(try given.string("card", "status") == "full")
            // A retry of the first stamp gets its original answer, although the paper card was taken since.
            #expect(try await give(cast, code, stamps: 2, key: "one", as: owner).body == waiting.body)
        }
    }

    @Test("A taken, forged, unknown or ended paper card is refused alike, and guesses are counted")
    func refusals() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let codes = try await codes(cast)
            let other = try await visitor.signedIn("+8613800138008")
            #expect(try await take(codes[0], as: cast.customer).status == 201)
            // An account that takes a paper card too late does not use up its budget of wrong codes.
            var refusals: [Reply] = []
            for attempt in 0..<12 { refusals.append(try await take(codes[0], as: other, key: "late-\(attempt)")) }
            let last = codes[1].last == "0" ? "1" : "0"
            let forged = String(codes[1].dropLast()) + last
            for (attempt, code) in ["", "x", codes[1] + "0", forged, "0000-0000-0000-0000"].enumerated() {
                refusals.append(try await take(code, as: other, key: "wrong-\(attempt)"))
            }
            for refusal in refusals { try refusal.expectProblem("paperNotValid", 422) }
            #expect(Set(refusals.map { $0.text.replacing(/"(instance|requestId)":"[^"]*"/, with: "") }).count == 1)
            for attempt in 0..<5 { _ = try await take(forged, as: other, key: "guess-\(attempt)") }
            let waiting = try await take(codes[1], as: other, key: "good")
            try waiting.expectProblem("rateLimited", 429)
            stage.clock.advance(seconds: 600)
            #expect(try await cast.owner.post("/v1/campaigns/\(cast.campaign)/end").status == 200)
            try await take(codes[1], as: other, key: "ended").expectProblem("paperNotValid", 422)
        }
    }

    @Test("The people of a shop cannot take its paper cards, and strangers cannot stamp them")
    func ownPapers() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let code = try await codes(cast)[0]
            try await take(code, as: cast.owner).expectProblem("ownCampaign", 403)
            try await give(cast, code, key: "x", as: cast.customer).expectProblem("forbidden", 403)
            try await cast.owner.post("/v1/me/paper-cards", #"{"code":"\#(code)"}"#).expectProblem("idempotencyKeyRequired", 400)
            for body in [#"{"paper":"\#(code)","phone":"+8613800138002"}"#, #"{"paper":"\#(code)","badge":"x"}"#] {
                try await cast.owner.post("/v1/campaigns/\(cast.campaign)/stamps", body, key: "both").expectInvalid("/badge")
            }
            let second = try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", Cast.campaignBody()).string("id")
            let elsewhere = try await cast.owner.post("/v1/campaigns/\(second)/stamps", #"{"paper":"\#(code)"}"#, key: "y")
            try elsewhere.expectProblem("paperNotValid", 422)
        }
    }

    @Test("A stamp on a paper card is taken back by its position, and counts as a member's reversal once somebody has taken the card")
    func takenBack() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let code = try await codes(cast)[0]
            let position = try await give(cast, code, stamps: 2, key: "one").int("position")
            let reason = #"{"reason":"Refunded"}"#
            let reversed = try await cast.owner.post("/v1/stamps/\(position)/reversal", reason, key: "back")
            #expect(reversed.status == 200, "\(reversed.text)")
            #expect(try reversed.int("added") == -2)
            try await cast.owner.post("/v1/stamps/\(position)/reversal", reason, key: "again").expectProblem("notReversible", 409)
            let kept = try await give(cast, code, stamps: 1, key: "two").int("position")
            #expect(try await take(code, as: cast.customer).int("added") == 1)
            // After the customer took the paper card, the position of the stamp on the paper card can still be used to reverse the stamp.
            #expect(try await cast.owner.post("/v1/stamps/\(kept)/reversal", reason, key: "late").int("added") == -1)
            let (shop, today) = (try #require(ShopID(text: cast.shop)), try #require(FullDate.day("2026-11-21")))
            let reversals = try stage.service.reversals(at: shop, on: ShopDays((today - 1)...(today + 1), in: .utc))
            #expect(reversals?.map { [$0.key.text: $0.value] } == [[cast.owner.account: 1]])
        }
    }

    @Test("Stamps on a paper card are in the shop's list until they are on the holder's card")
    func listed() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let codes = try await codes(cast)
            func list() async throws -> [JSONValue] {
                try #require(try await cast.owner.get("/v1/shops/\(cast.shop)/stamps").json["items"]?.items)
            }
            // A reversal needs the position of a stamp. The list contains the position, in case the answer to the stamp was lost.
            let first = try await give(cast, codes[0], stamps: 2, key: "one").int("position")
            let waiting = try await list()
            #expect(waiting.map { $0["position"]?.int } == [first])
            #expect(waiting[0].names == ["position", "at", "stamps", "status", "paper", "campaign", "code", "staff"])
            #expect(waiting[0]["status"]?.string == "given" && waiting[0]["stamps"]?.int == 2)
            #expect(waiting[0]["paper"]?.string?.hasPrefix("paper_") == true && waiting[0]["staff"]?.string == cast.owner.account)
            _ = try await cast.owner.post("/v1/stamps/\(first)/reversal", #"{"reason":"Refunded"}"#, key: "back")
            #expect(try await list().map { $0["status"]?.string } == ["reversed"])
            // After a paper card was taken, the list shows the stamps on the holder's card instead of those on the paper card.
            _ = try await give(cast, codes[0], key: "two")
            let taken = try await take(codes[0], as: cast.customer)
            let after = try await list()
            #expect(after.map { $0["status"]?.string } == ["given", "reversed"])
            #expect(try after[0]["card"]?.string == taken.string("card", "id") && after[0]["paper"] == nil)
        }
    }

    @Test("The shop's list marks stamps that lapsed when their paper card was taken")
    func lapsed() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let codes = try await codes(cast)
            let edited = try await cast.owner.patch(
                "/v1/campaigns/\(cast.campaign)", #"{"repeats":1}"#, headers: [.ifMatch: "*"])
            #expect(edited.status == 200, "\(edited.text)")
            // The customer's only card has two of three stamps, and the paper card has two more, each from its own code.
            _ = try await cast.stamp(try await cast.issue(stamps: 2).code)
            _ = try await give(cast, codes[0], key: "one")
            _ = try await give(cast, codes[0], key: "two")
            #expect(try await take(codes[0], as: cast.customer).int("added") == 1)
            let list = try #require(try await cast.owner.get("/v1/shops/\(cast.shop)/stamps").json["items"]?.items)
            #expect(list.map { $0["status"]?.string } == ["given", "taken", "given"])
        }
    }

    @Test("A sheet has ten cards a page, and the same key gives the same bytes")
    func sheets() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let body = #"{"campaign":"\#(cast.campaign)","count":500}"#
            func printed(_ key: String) async throws -> Reply {
                try await cast.owner.post("/v1/shops/\(cast.shop)/paper-cards", body, key: key)
            }
            let sheet = try await printed("sheet")
            #expect(sheet.status == 201)
            #expect(sheet.headers[.contentType] == "application/pdf" && sheet.headers[.cacheControl] == "no-store")
            #expect(sheet.position == UInt64(stage.head))
            #expect(sheet.body.starts(with: Array("%PDF-".utf8)))
            let head = stage.head
            #expect(try await printed("sheet").body == sheet.body)
            #expect(stage.head == head)
            // A second print has different cards.
            #expect(try await printed("sheet-2").body != sheet.body)
            for count in ["0", "501", "-1", "1.5", "\"1\"", "9223372036854775807"] {
                try await cast.owner.post(
                    "/v1/shops/\(cast.shop)/paper-cards", #"{"campaign":"\#(cast.campaign)","count":\#(count)}"#, key: "bad"
                ).expectInvalid("/count")
            }
            try await cast.owner.post("/v1/shops/\(cast.shop)/paper-cards", #"{"campaign":"x","count":1}"#, key: "bad")
                .expectProblem("notFound", 404)
        }
    }

    @Test("A print needs no idempotency key, and each print without one has new cards")
    func withoutAKey() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let (path, body) = ("/v1/shops/\(cast.shop)/paper-cards", #"{"campaign":"\#(cast.campaign)","count":1}"#)
            let head = stage.head
            let sheets = [try await cast.owner.post(path, body), try await cast.owner.post(path, body)]
            #expect(sheets.map(\.status) == [201, 201] && sheets[0].body != sheets[1].body && stage.head == head + 2)
            let listed = try await cast.owner.post(path, body, headers: [.accept: "application/json"])
            let code = try #require(try listed.json["cards"]?[0]?["code"]?.string)
            #expect(try await take(code, as: cast.customer).status == 201)
        }
    }

    @Test("A paper card says what waits on it; once taken, to its holder alone, and to others like a code that was never printed")
    func lookedAt() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let code = try await codes(cast)[0]
            _ = try await give(cast, code, stamps: 2, key: "one")
            let (path, unknown) = ("/v1/me/paper-cards/\(code)", "/v1/me/paper-cards/K7QF2M9X0R3T8WBN")
            try await visitor.get(path).expectProblem("unauthenticated", 401)
            let head = stage.head
            let seen = try await cast.customer.get(path)
            #expect(seen.status == 200 && stage.head == head, "\(seen.text)")
            #expect(try seen.string("shop", "name") == "好喝奶茶店" && seen.int("stamps") == 2 && seen.int("campaign", "goal") == 3)
            #expect(try seen.json["isMine"] == .bool(false))
            _ = try await take(code, as: cast.customer)
            let mine = try await cast.customer.get(path)
            #expect(try mine.json["isMine"] == .bool(true) && mine.int("stamps") == 0)
            let stranger = try await visitor.signedIn("+8613800138055")
            let (taken, never) = (try await stranger.get(path), try await stranger.get(unknown))
            try taken.expectProblem("paperNotValid", 422)
            #expect(try taken.json["detail"] == never.json["detail"] && never.status == taken.status)
            // Looking for codes that were never printed counts like taking them.
            for _ in 0..<9 { #expect(try await stranger.get(unknown).status == 422) }
            #expect(try await stranger.get(unknown).status == 429)
        }
    }

    @Test("A look at a paper card waits for the position that it names before it looks the code up")
    func lookedAtTooEarly() async throws {
        try await onStage { stage, visitor in
            let customer = try await visitor.signedIn("+8613800138055")
            let reply = try await customer.get(
                "/v1/me/paper-cards/K7QF2M9X0R3T8WBN", headers: [.minPosition: "\(stage.head + 1_000)"])
            try reply.expectProblem("notCaughtUp", 503)
        }
    }

    @Test("Each card of a sheet has a code of its own, the one that JSON gives for the same key, and the picture of its link")
    func rightCodes() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let created = stage.clock.now()
            let sheet = try await sheet(cast, count: 12)
            stage.clock.advance(seconds: 60)
            let texts = try await codes(cast, count: 12, key: "sheet")
            #expect(Set(texts).count == 12)
            let cards = try texts.map { text in
                let picture = try #require(QRCode(Stage.publicURL + "/p/" + text.filter { $0 != "-" }))
                return PaperSheet.Card(text: text, width: picture.width, modules: picture.modules)
            }
            // The campaign ends at midnight in London, when it is morning in Shanghai.
            let drawn = PaperSheet(
                shop: "好喝奶茶店", campaign: "Ten cups, the eleventh is free", reward: "One free drink", goal: 3, lastDay: "2027-11-01",
                created: created, color: nil)
            #expect(sheet.status == 201 && drawn.pdf(cards) == sheet.body)
            // Each code is valid.
            for (number, text) in texts.enumerated() { #expect(try await give(cast, text, key: "give-\(number)").status == 201) }
            #expect(Set(try await codes(cast, count: 500, key: "many")).count == 500)
        }
    }

    @Test("An end in the distant future is not printed")
    func endless() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let path = "/v1/campaigns/\(cast.campaign)"
            let edited = try await cast.owner.patch(path, #"{"endsAt":"2126-01-01T00:00:00Z"}"#, headers: [.ifMatch: "*"])
            #expect(edited.status == 200, "\(edited.text)")
            let created = stage.clock.now()
            let sheet = try await sheet(cast, count: 1)
            let text = try await codes(cast, count: 1, key: "sheet")[0]
            let picture = try #require(QRCode(Stage.publicURL + "/p/" + text.filter { $0 != "-" }))
            let drawn = PaperSheet(
                shop: "好喝奶茶店", campaign: "Ten cups, the eleventh is free", reward: "One free drink", goal: 3, lastDay: nil,
                created: created, color: nil)
            #expect(drawn.pdf([PaperSheet.Card(text: text, width: picture.width, modules: picture.modules)]) == sheet.body)
        }
    }

    @Test("Each drawing of a sheet is counted, also a repeated one, and a refused request is not")
    func sheetBudget() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let clerk = try await visitor.signedIn("+8613800138004")
            try await cast.hire(clerk)
            try await sheet(cast, as: clerk).expectProblem("roleRequired", 403)
            try await sheet(cast, as: cast.customer).expectProblem("forbidden", 403)
            // A rejected request is not counted.
            try await sheet(cast, count: 501, key: "bad").expectInvalid("/count")
            for _ in 0..<20 { #expect(try await sheet(cast).status == 201) }
            try await sheet(cast).expectProblem("rateLimited", 429)
            try await sheet(cast, key: "new").expectProblem("rateLimited", 429)
            #expect(try await codes(cast, key: "sheet").count == 2)
            stage.clock.advance(seconds: 600)
            #expect(try await sheet(cast).status == 201)
        }
    }

    @Test("A retry of an accepted print gets the same sheet, even if its sender has become counter staff or has left the shop")
    func afterTheRoleWasLowered() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let manager = try await visitor.signedIn("+8613800138004")
            try await cast.hire(manager, as: "manager")
            let first = try await sheet(cast, as: manager)
            #expect(first.status == 201, "\(first.text)")
            let place = "/v1/shops/\(cast.shop)/staff/\(manager.account)"
            #expect(try await cast.owner.put(place, #"{"role":"counter"}"#).status == 202)
            let lowered = stage.head
            let again = try await sheet(cast, as: manager)
            #expect(again.status == 201 && again.body == first.body && stage.head == lowered)
            try await sheet(cast, key: "new", as: manager).expectProblem("roleRequired", 403)
            try await sheet(cast, count: 3, as: manager).expectProblem("idempotencyKeyReused", 422)
            #expect(try await cast.owner.delete(place).status == 204)
            let left = stage.head
            let last = try await sheet(cast, as: manager)
            #expect(last.status == 201 && last.body == first.body && stage.head == left)
            try await sheet(cast, key: "new", as: manager).expectProblem("forbidden", 403)
        }
    }

    @Test("No card is printed whose link would lead to the customer's own phone")
    func loopback() async throws {
        for (url, isLoopback) in [
            ("http://127.0.0.1:8080", true), ("http://localhost/", true), ("http://tea.LOCALHOST:80", true), ("http://[::1]:8080", true),
            ("http://[::]:8080", true), ("http://0.0.0.0:8080", true), ("https://greentea.example", false), ("http://[2001:db8::1]", false),
            ("https://localhost.example", false),
        ] {
            #expect(PublicAddress(url).isLoopback == isLoopback, "\(url)")
        }
        let folder = Stage.newFolder()
        let clock = TestClock()
        let (owner, path, body) = try await beforeRestart(in: folder, clock: clock) { _, visitor in
            let cast = try await Cast(visitor)
            return (cast.owner.token, "/v1/shops/\(cast.shop)/paper-cards", #"{"campaign":"\#(cast.campaign)","count":1}"#)
        }
        let again: @Sendable () throws -> Stage = {
            try Stage(folder: folder, clock: clock, isDevelopment: false, configure: { $0.publicURL = "http://127.0.0.1:8080" })
        }
        try await onStage(try again()) { stage, visitor in
            var visitor = visitor
            visitor.token = owner
            let head = stage.head
            let refused = try await visitor.post(path, body, key: "print")
            try refused.expectProblem("forbidden", 403)
            #expect(try refused.string("detail").contains("public address"))
            #expect(stage.head == head)
        }
    }

    @Test("Sixty-four accounts race for one paper card, and one gets it")
    func race() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let code = try await codes(cast)[0]
            _ = try await give(cast, code, stamps: 2, key: "one")
            var racers: [Visitor] = []
            for number in 0..<16 { racers.append(try await visitor.signedIn("+49100000\(1_000 + number)")) }
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for racer in racers {
                    for attempt in 0..<4 {
                        group.addTask { try await take(code, as: racer, key: "race-\(attempt)").status }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.filter { $0 == 201 }.count == 1)
            #expect(statuses.allSatisfy { $0 == 201 || $0 == 422 })
        }
    }
}
