import Foundation
import HTTPTypes
import Loyalty
import Testing

@testable import HTTPAPI

/// The Atom feeds of a shop and around a place.
@Suite("Feeds", .timeLimit(.minutes(15)))
struct FeedTests {
    private static let near = "/feed.atom?near=31.2304,121.4737"

    /// The contents of an element, in the order of the document.
    private static func all(_ name: String, in reply: Reply) -> [String] {
        reply.text.components(separatedBy: "<\(name)>").dropFirst().compactMap { $0.components(separatedBy: "</\(name)>").first }
    }

    /// Reads a feed that has every event.
    private static func read(
        _ path: String, _ visitor: Visitor, _ stage: Stage, _ name: HTTPField.Name? = nil, _ value: String = ""
    ) async throws -> Reply {
        var headers: HTTPFields = [.minPosition: "\(stage.head)"]
        if let name { headers[name] = value }
        return try await visitor.get(path, headers: headers)
    }

    private static func entries(_ reply: Reply) throws -> [String] {
        #expect(reply.status == 200, "\(reply.text)")
        return all("entry", in: reply).compactMap { $0.components(separatedBy: "</id>").first?.components(separatedBy: ":").last }
    }

    @Test("A shop's feed has its campaigns and its notices to customers, the last changed first, under ids that never change")
    func ofShop() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let path = "/s/\(cast.shop)/feed.atom"
            _ = try await cast.stamp(try await cast.issue().code)
            stage.clock.advance(seconds: 60)
            let notice = try await cast.owner.post("/v1/notices", #"{"title":"Closed on Monday","text":"Sorry.","audience":"shop"}"#)
            let secret = try await cast.owner.post(
                "/v1/notices", #"{"title":"Only for you","text":"Secret","audience":"holders","campaign":"\#(cast.campaign)"}"#)
            #expect(secret.status == 201)
            stage.clock.advance(seconds: 60)
            let later = try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", Cast.campaignBody(title: "Later")).string("id")
            let reply = try await Self.read(path, visitor, stage)
            #expect(reply.headers[.contentType] == "application/atom+xml; charset=utf-8")
            #expect(try Self.entries(reply) == [later, try notice.string("id"), cast.campaign])
            #expect(!reply.text.contains("Only for you") && !reply.text.contains("Secret"))
            #expect(Self.all("updated", in: reply).first == Self.all("updated", in: reply).max())
            #expect(reply.headers[.lastModified] == "Sat, 21 Nov 2026 09:02:00 GMT")
            _ = try await cast.owner.post("/v1/campaigns/\(later)/end")
            let tag = try await cast.owner.tag(of: "/v1/campaigns/\(cast.campaign)")
            #expect(try await cast.owner.edit("/v1/campaigns/\(cast.campaign)", #"{"title":"Eleven cups"}"#, seen: tag).status == 200)
            #expect(try Self.entries(try await Self.read(path, visitor, stage)) == [cast.campaign, try notice.string("id")])
        }
    }

    @Test("A reader who has the feed gets 304 until something changes, whatever dates it sends")
    func conditional() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            for path in ["/s/\(cast.shop)/feed.atom", Self.near] {
                let first = try await Self.read(path, visitor, stage)
                let tag = try #require(first.headers[.eTag])
                let again = try await Self.read(path, visitor, stage, .ifNoneMatch, tag)
                #expect(again.status == 304 && again.text.isEmpty && again.headers[.eTag] == tag)
                #expect(try await Self.read(path, visitor, stage, .ifNoneMatch, "W/\(tag)").status == 304)
                #expect(try await Self.read(path, visitor, stage, .ifNoneMatch, #""other""#).status == 200)
                let date = try #require(first.headers[.lastModified])
                #expect(try await Self.read(path, visitor, stage, .ifModifiedSince, date).status == 200)
                _ = try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", Cast.campaignBody(title: "New"))
                #expect(try await Self.read(path, visitor, stage, .ifNoneMatch, tag).status == 200)
            }
        }
    }

    @Test("A campaign over leaves the feeds, and a suspended shop's feed is empty")
    func over() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            #expect(try Self.entries(try await Self.read(Self.near, visitor, stage)) == [cast.campaign])
            #expect(try Self.entries(try await Self.read("/feed.atom?near=39.9,116.4", visitor, stage)).isEmpty)
            let operators = try await visitor.signedIn(Stage.operatorPhone)
            let suspended = try await operators.post("/v1/admin/shops/\(cast.shop)/suspension", #"{"reason":"Spam"}"#)
            #expect(suspended.status == 200 || suspended.status == 204, "\(suspended.text)")
            for path in ["/s/\(cast.shop)/feed.atom", Self.near] {
                #expect(try Self.entries(try await Self.read(path, visitor, stage)).isEmpty, "\(path)")
            }
        }
    }

    @Test("Hostile names are text, a feed has at most fifty entries, and an erased shop leaves no word in it")
    func hostile() async throws {
        try await onStage { stage, visitor in
            let owner = try await visitor.signedIn("+8613800138001")
            let name = #"</name><script>alert('1')</script> & \u0022"#
            let body = """
                {"name":"\(name)","phone":"+861012345678","address":"Road 1","location":{"latitude":31.2304,"longitude":121.4737}}
                """
            let shop = try await owner.post("/v1/shops", body).string("id")
            for number in 0..<51 {
                let campaign = Cast.campaignBody(title: "<i>\(number)</i>&")
                #expect(try await owner.post("/v1/shops/\(shop)/campaigns", campaign).status == 201)
            }
            for path in ["/s/\(shop)/feed.atom", Self.near] {
                let reply = try await Self.read(path, visitor, stage)
                #expect(try Self.entries(reply).count == 50)
                #expect(!reply.text.contains("<script") && !reply.text.contains("<i>") && reply.text.contains("&lt;i&gt;50&lt;/i&gt;&amp;"))
            }
            #expect(try await owner.delete("/v1/me", key: UUID().uuidString).status == 204)
            for path in ["/s/\(shop)/feed.atom", Self.near] {
                let reply = try await Self.read(path, visitor, stage)
                #expect(try Self.entries(reply).isEmpty && !reply.text.contains("script"))
            }
        }
    }

    @Test("A feed needs a shop that exists, or a place on earth")
    func invalid() async throws {
        try await onStage { _, visitor in
            try await visitor.get("/s/shop_01hv5x0000e008000000000000/feed.atom").expectProblem("notFound", 404)
            try await visitor.get("/s/K7QF2M9X/feed.atom").expectProblem("notFound", 404)
            try await visitor.get("/feed.atom").expectInvalid("/near")
            try await visitor.get("/feed.atom?near=91,0").expectInvalid("/near")
            try await visitor.get("/feed.atom?near=90,0&radius=100001").expectInvalid("/radius")
            #expect(try await visitor.get("/feed.atom?near=90,0&radius=100000").status == 200)
        }
    }

    @Test("A shop's page leads programs to its feed")
    func linked() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let page = try await visitor.get("/s/\(cast.shop)", headers: [.accept: "text/html"])
            let link = #"<link rel="alternate" type="application/atom+xml""#
            #expect(page.text.contains(link) && page.text.contains(#"href="/s/\#(cast.shop)/feed.atom""#))
            #expect(!(try await visitor.get("/", headers: [.accept: "text/html"])).text.contains(link))
        }
    }

    @Test("The date of a header has the form of RFC 9110")
    func dates() {
        #expect(HTTPDate.text(Instant(microseconds: 784_111_777_000_000)) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.text(Instant(microseconds: 0)) == "Thu, 01 Jan 1970 00:00:00 GMT")
    }
}
