import CommandService
import Composition
import HTTPTypes
import Testing

/// Pictures that are uploaded again, and requests that are retried after their picture was taken down.
@Suite("Repeated pictures and requests", .timeLimit(.minutes(15)))
struct PictureAgainTests {
    private static let any: HTTPFields = [.ifMatch: "*"]

    private static func images(_ pictures: String...) -> String { #"{"images":[\#(pictures.map { "\"\($0)\"" }.joined(separator: ","))]}"# }

    /// Advances the clock by a day, so that the sweep examines all pictures, and runs the sweep.
    private static func sweep(_ stage: Stage) async throws -> Int {
        stage.clock.advance(seconds: 86_401)
        return try await stage.service.sweepImages()
    }

    @Test("A picture that was taken down and uploaded again is kept while something still lists it")
    func sentAgain() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let (shop, campaign) = ("/v1/shops/" + cast.shop, "/v1/campaigns/" + cast.campaign)
            let (first, second) = (try await cast.owner.picture(0), try await cast.owner.picture(1))
            #expect(try await cast.owner.patch(shop, Self.images(first), headers: Self.any).status == 200)
            #expect(try await cast.owner.patch(campaign, #"{"image":"\#(second)"}"#, headers: Self.any).status == 200)
            for picture in [first, second] { #expect(try await cast.owner.delete("/v1/images/" + picture).status == 204) }
            for picture in [first, second] { try await visitor.get("/v1/images/" + picture).expectProblem("notFound", 404) }

            stage.clock.advance(seconds: 1)
            #expect(try await [cast.owner.picture(0), cast.owner.picture(1)] == [first, second])
            // The shop still lists the picture, so this edit changes nothing. The campaign is not edited at all.
            #expect(try await cast.owner.patch(shop, Self.images(first), headers: Self.any).status == 200)
            #expect(try await Self.sweep(stage) == 0)
            for picture in [first, second] { #expect(try await visitor.get("/v1/images/" + picture).status == 200) }

            // The clock has moved by a day, so the owner's access token has expired.
            let owner = try await visitor.signedIn("+8613800138001")
            for picture in [first, second] { #expect(try await owner.delete("/v1/images/" + picture).status == 204) }
            for picture in [first, second] { try await visitor.get("/v1/images/" + picture).expectProblem("notFound", 404) }
        }
    }

    @Test("A picture that was taken down while the clock was ahead, and uploaded again after the correction, is kept while a shop lists it")
    func takenDownAhead() async throws {
        let (folder, clock, lead) = (Stage.newFolder(), TestClock(), 30 * 86_400 as Int64)
        clock.set(bySeconds: lead)
        let picture = try await beforeRestart(in: folder, clock: clock) { _, visitor in
            let cast = try await Cast(visitor)
            let picture = try await cast.owner.picture()
            #expect(try await cast.owner.patch("/v1/shops/" + cast.shop, Self.images(picture), headers: Self.any).status == 200)
            #expect(try await cast.owner.delete("/v1/images/" + picture).status == 204)
            return picture
        }
        clock.set(bySeconds: -lead)
        try await onStage(try Stage(folder: folder, clock: clock)) { stage, visitor in
            let owner = try await visitor.signedIn("+8613800138001")
            #expect(try await owner.picture() == picture)
            #expect(try await Self.sweep(stage) == 0)
            #expect(try await visitor.get("/v1/images/" + picture).status == 200)
        }
    }

    @Test("A picture that is uploaded again but not listed is removed after a day")
    func listedNowhere() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let shop = "/v1/shops/" + cast.shop
            let picture = try await cast.owner.picture()
            #expect(try await cast.owner.delete("/v1/images/" + picture).status == 204)
            stage.clock.advance(seconds: 1)
            #expect(try await cast.owner.picture() == picture)
            #expect(try await cast.owner.patch(shop, #"{"phone":"+861087654321"}"#, headers: Self.any).status == 200)
            #expect(try await Self.sweep(stage) == 1)
        }
    }

    @Test("An accepted request is replayed after its picture was taken down, and a new one is rejected")
    func repeated() async throws {
        try await onStage { stage, visitor in
            let owner = try await visitor.signedIn("+8613800138001")
            let picture = try await owner.picture()
            let listing = #"{"images":["\#(picture)"],"# + Cast.shopBody.drop { $0 != "{" }.dropFirst()
            let opened = try await owner.post("/v1/shops", listing, key: "open")
            let shop = try opened.string("id")
            let published = #"{"image":"\#(picture)","# + Cast.campaignBody().dropFirst()
            let campaign = try await owner.post("/v1/shops/\(shop)/campaigns", published, key: "publish")
            let path = "/v1/campaigns/" + (try campaign.string("id"))
            let shown = #"{"title":"Cups","image":"\#(picture)"}"#
            let edited = try await owner.patch(path, shown, key: "edit", headers: Self.any)
            let relisted = #"{"name":"Tea","images":["\#(picture)"]}"#
            let renamed = try await owner.patch("/v1/shops/" + shop, relisted, key: "rename", headers: Self.any)
            #expect([opened, campaign, edited, renamed].map(\.status) == [201, 201, 200, 200])
            #expect(try await owner.delete("/v1/images/" + picture).status == 204)

            let head = stage.head
            #expect(try await owner.post("/v1/shops", listing, key: "open").body == opened.body)
            #expect(try await owner.post("/v1/shops/\(shop)/campaigns", published, key: "publish").body == campaign.body)
            #expect(try await owner.patch(path, shown, key: "edit", headers: Self.any).body == edited.body)
            #expect(try await owner.patch("/v1/shops/" + shop, relisted, key: "rename", headers: Self.any).body == renamed.body)
            try await owner.post("/v1/shops/\(shop)/campaigns", published, key: "other").expectInvalid("/image")
            try await owner.patch(path, shown, key: "open", headers: Self.any).expectProblem("idempotencyKeyReused", 422)
            #expect(stage.head == head)
        }
    }

    @Test("A copy of a picture that an operator took down cannot be set anywhere")
    func forbiddenCopy() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let office = try await visitor.signedIn(Stage.operatorPhone)
            let (original, copy) = (try await cast.customer.picture(), try await cast.owner.picture())
            #expect(original != copy)
            #expect(try await office.delete("/v1/images/" + original).status == 204)
            try await cast.owner.patch("/v1/shops/" + cast.shop, Self.images(copy), headers: Self.any).expectInvalid("/images")
            try await cast.owner.patch("/v1/me", #"{"avatar":"\#(copy)"}"#).expectInvalid("/avatar")
        }
    }
}
