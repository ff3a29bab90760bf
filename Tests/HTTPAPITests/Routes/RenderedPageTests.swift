import CommandService
import Composition
import EventLog
import HTTPTypes
import Hummingbird
import Loyalty
import LoyaltyCodec
import NIOCore
import Testing

@testable import HTTPAPI

/// Tests pages that are kept after rendering and sent again; see `RenderedPages`.
@Suite("Kept pages", .timeLimit(.minutes(15)))
struct RenderedPageTests {
    private static let html: HTTPFields = [.accept: "text/html"]

    @Test("A page that was sent before shows each change at once, to readers of both languages")
    func changes() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let path = "/s/\(cast.shop)"
            // This API read waits until the read models contain the campaign.
            #expect(try await visitor.get("/v1/campaigns").status == 200)
            let first = try await visitor.get(path, headers: Self.html)
            #expect(first.status == 200)
            let again = try await visitor.get(path, headers: Self.html)
            #expect(again.body == first.body && again.headers[.contentSecurityPolicy] == first.headers[.contentSecurityPolicy])
            let chinese = try await visitor.get(path, headers: [.accept: "text/html", .acceptLanguage: "zh"])
            #expect(chinese.text.contains("<html lang=\"zh-Hans\"") && !again.text.contains("<html lang=\"zh-Hans\""))
            let edited = try await cast.owner.patch("/v1/shops/\(cast.shop)", #"{"name":"Another Tea"}"#, headers: [.ifMatch: "*"])
            #expect(edited.status == 200)
            #expect(try await visitor.get(path, headers: Self.html).text.contains("<bdi>Another Tea</bdi></h1>"))
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

    @Test("A kept page is made anew when nothing but the passing of time changes it")
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

    @Test("A parameter that a page does not read, a slash too many and another Accept header do not render it again")
    func parameters() async throws {
        try await onStage { stage, _ in
            let (pages, resources) = (RenderedPages(), stage.api.resources)
            var made: [String] = []
            func get(_ path: String, _ headers: HTTPFields = Self.html) async throws {
                let head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: path, headerFields: headers)
                let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
                _ = try await pages.page(request, at: "/s/x", reading: ["reviews", "q"], resources) { request in
                    made.append(request.uri.description)
                    return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: "page")))
                }
            }
            for path in ["/s/x", "/s/x?", "/s/x?a=1", "/s/x?a=2&b", "//s//x?utm=%71&reviewsx=1", "http://localhost/s/x?a=3"] {
                try await get(path)
            }
            try await get("/s/x", [.accept: "*/*"])
            #expect(made == ["/s/x"])
            for path in ["/s/x?reviews=1&q=tea", "/s/x?q=tea&a=1&reviews=1", "/s/x?q=tea&reviews=1&reviews=2&q="] { try await get(path) }
            #expect(made.dropFirst() == ["/s/x?reviews=1&q=tea"])
            try await get("/s/x?reviews=2&q=tea")
            try await get("/s/x", [.acceptLanguage: "zh"])
            #expect(made.count == 4, "other content and another language are other pages")
        }
    }

    @Test("Pages of shops, campaigns and searches are the same under parameters that they do not read")
    func addresses() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            #expect(try await visitor.get("/v1/campaigns").status == 200)
            for path in ["/s/\(cast.shop)", "/c/\(cast.campaign)", "/", "/?list=shops"] {
                let page = try await visitor.get(path, headers: Self.html)
                let mark = path.contains("?") ? "&" : "?"
                let other = try await visitor.get(path + mark + "from=a-poster", headers: Self.html)
                #expect(page.status == 200 && other.body == page.body, "\(path)")
            }
        }
    }

    @Test("A shop's page reads no campaign that is over, and no more than it shows")
    func campaignsOfAShop() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            var ids = [cast.campaign]
            for number in 0..<60 {
                let body = Cast.campaignBody(title: "Campaign \(number)")
                ids.append(try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", body).string("id"))
            }
            for id in ids[30...] { #expect(try await cast.owner.post("/v1/campaigns/\(id)/end").status == 200) }
            #expect(try await visitor.get("/v1/campaigns").status == 200)
            let (resources, shop) = (stage.api.resources, try #require(ShopID(text: cast.shop)))
            func open(_ limit: Int) throws -> (campaigns: [String], reads: Int) {
                var reads = 0
                let campaigns = try resources.openCampaigns(at: shop, limit: limit) { id in
                    reads += 1
                    return try resources.existing { try $0.campaign(id) }
                }
                return (campaigns.map(\.id.text), reads)
            }
            let (some, all) = (try open(20), try open(100))
            #expect(some.campaigns == Array(ids[10..<30].reversed()) && some.reads == 20)
            #expect(all.campaigns == Array(ids[..<30].reversed()) && all.reads == 30)
            let page = try await visitor.get("/s/\(cast.shop)", headers: Self.html).text
            #expect(ids.filter { page.contains("/c/\($0)\"") } == Array(ids[10..<30]))
        }
    }
}
