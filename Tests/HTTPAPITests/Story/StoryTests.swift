import Foundation
import HTTPTypes
import Testing

/// One whole visit to a tea shop, from the first sign-in to the review, as HTTP requests and answers.
///
/// Its transcript is `Fixtures/http/story.txt`; `GREENTEA_RECORD=1` records it again.
@Suite("Story", .timeLimit(.minutes(15)))
struct StoryTests {
    private static let fixture = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Fixtures/http/story.txt")

    @Test("The visit from the first sign-in to the review matches the recorded transcript")
    func story() async throws {
        let transcript = Transcript()
        try await onStage(try Stage(randomness: TestRandomness(seed: 1))) { stage, visitor in
            var visitor = visitor
            visitor.transcript = transcript
            try await Script(visitor).play()
        }
        if ProcessInfo.processInfo.environment["GREENTEA_RECORD"] == "1" {
            try FileManager.default.createDirectory(
                at: Self.fixture.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(transcript.text.utf8).write(to: Self.fixture)
        }
        let recorded = String(decoding: try Data(contentsOf: Self.fixture), as: UTF8.self)
        for (line, (now, then)) in zip(transcript.text.split(separator: "\n"), recorded.split(separator: "\n")).enumerated() {
            try #require(now == then, "line \(line + 1) of the transcript")
        }
        #expect(transcript.text == recorded)
    }
}

/// The requests of the story.
private struct Script {
    let visitor: Visitor
    let transcript: Transcript

    init(_ visitor: Visitor) {
        self.visitor = visitor
        transcript = visitor.transcript!
    }

    func play() async throws {
        transcript.say("The owner signs in, opens a shop and publishes a campaign")
        let owner = try await visitor.signedIn("+8613800138001", name: "owner")
        let shop = try await owner.post("/v1/shops", Cast.shopBody, key: "open").string("id")
        let campaign = try await owner.post("/v1/shops/\(shop)/campaigns", Cast.campaignBody(), key: "publish").string("id")

        transcript.say("A customer signs in and looks at the campaign")
        let customer = try await visitor.signedIn("+8613800138002", name: "customer")
        _ = try await customer.get("/v1/campaigns/\(campaign)")

        let card = try await collect(owner, customer, campaign)
        try await redeem(owner, customer, card)
        try await review(owner, customer, shop)
        transcript.say("Everybody looks once more")
        _ = try await customer.get("/v1/me")
        _ = try await owner.get("/v1/me")
        _ = try await visitor.get("/v1/shops/\(shop)")
        transcript.say("The customer signs out")
        _ = try await customer.delete("/v1/sessions/current")
        _ = try await customer.get("/v1/me")
    }

    private func collect(_ owner: Visitor, _ customer: Visitor, _ campaign: String) async throws -> String {
        transcript.say("The customer pays, and enters the code that the owner shows")
        let first = try await owner.post("/v1/campaigns/\(campaign)/codes", "{}", key: "code-1").string("code")
        let card = try await customer.post("/v1/stamps", #"{"code":"\#(first)"}"#, key: "stamp-1").string("card", "id")
        transcript.say("The connection broke and the app asks again: the same answer, no second stamp")
        _ = try await customer.post("/v1/stamps", #"{"code":"\#(first)"}"#, key: "stamp-1")
        transcript.say("With a key of its own, the code is used")
        _ = try await customer.post("/v1/stamps", #"{"code":"\#(first)"}"#, key: "stamp-2")
        transcript.say("Three drinks at once: the card is full and the next one begins")
        let second = try await owner.post("/v1/campaigns/\(campaign)/codes", #"{"stamps":3}"#, key: "code-2").string("code")
        _ = try await customer.post("/v1/stamps", #"{"code":"\#(second.lowercased())"}"#, key: "stamp-3")
        _ = try await customer.get("/v1/me/cards")
        return card
    }

    private func redeem(_ owner: Visitor, _ customer: Visitor, _ card: String) async throws {
        transcript.say("The customer shows the full card, the owner hands out the reward")
        let asked = try await customer.post("/v1/cards/\(card)/redemption", key: "ask")
        let (id, code) = (try asked.string("id"), try asked.string("code"))
        _ = try await owner.post("/v1/redemptions/preview", #"{"code":"\#(code)"}"#)
        _ = try await owner.post("/v1/redemptions", #"{"code":"\#(code)"}"#, key: "redeem")
        _ = try await customer.get("/v1/redemptions/\(id)")
        _ = try await customer.get("/v1/cards/\(card)")
    }

    private func review(_ owner: Visitor, _ customer: Visitor, _ shop: String) async throws {
        transcript.say("The customer says what it was like, the owner answers")
        let review = try await customer.post("/v1/shops/\(shop)/reviews", #"{"rating":5,"text":"很好喝！"}"#, key: "review").string("id")
        _ = try await owner.post("/v1/reviews/\(review)/replies", #"{"text":"谢谢！下次再来。"}"#, key: "reply")
        _ = try await visitor.get("/v1/shops/\(shop)/reviews")
    }
}
