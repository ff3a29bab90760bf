import Composition
import EventLog
import HTTPTypes
import LoyaltyCodec
import Testing

@testable import HTTPAPI

/// Tests pages that are kept after rendering and sent again; see `RenderedPages`.
@Suite("Kept pages")
struct RenderedPageTests {
    private static let html: HTTPFields = [.accept: "text/html"]

    @Test("A page that was sent before shows each change at once, to readers of both languages")
    func changes() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let path = "/s/\(cast.shop)"
            // Waits until the models show the campaign.
            #expect(try await visitor.get("/v1/campaigns").status == 200)
            let first = try await visitor.get(path, headers: Self.html)
            #expect(first.status == 200)
            let again = try await visitor.get(path, headers: Self.html)
            #expect(again.body == first.body && again.headers[.contentSecurityPolicy] == first.headers[.contentSecurityPolicy])
            let chinese = try await visitor.get(path, headers: [.accept: "text/html", .acceptLanguage: "zh"])
            #expect(chinese.text.contains("<html lang=\"zh-Hans\"") && !again.text.contains("<html lang=\"zh-Hans\""))
            let edited = try await cast.owner.patch("/v1/shops/\(cast.shop)", #"{"name":"Another Tea"}"#, headers: [.ifMatch: "*"])
            #expect(edited.status == 200)
            #expect(try await visitor.get(path, headers: Self.html).text.contains("<h1><bdi>Another Tea</bdi></h1>"))
            #expect(try await visitor.get("/c/\(cast.campaign)", headers: Self.html).text.contains("Another Tea"))
        }
    }

    @Test("Codes and stamps leave a kept page as it is; an event of another type changes it, however many others came before")
    func quietEvents() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let (changes, log) = (PublicChanges(), stage.service.log)
            let first = changes.newest(in: log)
            #expect(first == log.head)
            _ = try await cast.stamp(try await cast.issue(stamps: 2).code)
            #expect(log.head > first && changes.newest(in: log) == first)
            _ = try await cast.owner.patch("/v1/shops/\(cast.shop)", #"{"name":"Another Tea"}"#, headers: [.ifMatch: "*"])
            let edited = log.head
            _ = try await cast.issue(stamps: 1)
            #expect(edited > first && log.head > edited && changes.newest(in: log) == edited)
            #expect(changes.newest(in: log) == edited)
        }
    }

    @Test("Every event type that changes shops, campaigns, reviews, names or pictures is a change of pages")
    func types() {
        let changing: [EventType] = [
            .profileEdited, .accountErased, .accountSuspended, .accountReinstated, .shopOpened, .shopEdited, .shopSuspended,
            .shopReinstated, .shopClosed, .shopTransferred, .staffAdded, .staffRemoved, .staffJoined, .roleChanged, .employmentEnded,
            .campaignPublished, .campaignEdited, .campaignEnded, .campaignReopened, .reviewPosted, .replyPosted, .reviewRemoved,
            .favoriteAdded, .favoriteRemoved, .imageTakenDown,
        ]
        #expect(PublicChanges.quiet.isDisjoint(with: changing))
        #expect(PublicChanges.quiet.isSubset(of: LoyaltySchema.schema.types.keys))
    }

    @Test("A kept page is made anew when only time has passed and changes it")
    func time() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let running = try await visitor.get("/c/\(cast.campaign)", headers: Self.html)
            #expect(try await visitor.get("/c/\(cast.campaign)", headers: Self.html).body == running.body)
            stage.clock.advance(seconds: 400 * 86_400)
            let over = try await visitor.get("/c/\(cast.campaign)", headers: Self.html)
            #expect(over.status == 200 && over.body != running.body)
        }
    }

    @Test("A program gets no page, and a missing page is not kept")
    func programs() async throws {
        try await onStage { _, visitor in
            let page = try await visitor.get("/", headers: Self.html)
            #expect(page.text.contains("<html"))
            let answer = try await visitor.get("/")
            #expect(answer.headers[.contentType] == "application/json")
            for _ in 0..<2 {
                let missing = try await visitor.get("/c/x", headers: Self.html)
                #expect(missing.status == 404)
            }
        }
    }
}
