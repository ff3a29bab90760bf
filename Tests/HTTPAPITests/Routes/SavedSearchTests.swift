import Composition
import Foundation
import HTTPTypes
import Loyalty
import LoyaltyCodec
import Testing

/// Saved searches over HTTP.
@Suite("Saved searches", .timeLimit(.minutes(15)))
struct SavedSearchRouteTests {
    private static let path = "/v1/me/searches"
    private static let day: Int64 = 86_400
    private static let near = #"{"latitude":31.2304,"longitude":121.4737}"#

    private static func items(_ visitor: Visitor) async throws -> [JSONValue] {
        try #require(try await visitor.get(path).json["items"]?.items)
    }

    @Test("A search is saved, counts what is new, and begins anew when it was seen")
    func story() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let me = cast.customer
            let body = #"{"name":"Tea nearby","q":"奶茶","near":\#(Self.near),"radius":2000,"kind":"stampCard","alert":true}"#
            let saved = try await me.post(Self.path, body, key: "save")
            #expect(saved.status == 201, "\(saved.text)")
            #expect(
                try saved.json.names == [
                    "id", "name", "q", "near", "radius", "kind", "minRating", "open", "alert", "savedAt", "seenAt",
                ])
            #expect(try await me.post(Self.path, body, key: "save").body == saved.body)
            let id = try saved.string("id")
            #expect(id.hasPrefix("srch_"))
            var item = try #require(try await Self.items(me).first)
            #expect(item["newCount"]?.int == 0 && item["hasMoreNew"] == .bool(false), "the campaign is older")
            _ = try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", Cast.campaignBody(title: "One"))
            _ = try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", Cast.couponBody())
            item = try #require(try await Self.items(me).first)
            #expect(item["newCount"]?.int == 1, "a coupon is no stamp card")
            stage.clock.advance(seconds: 60)
            #expect(try await me.put("\(Self.path)/\(id)/seen").status == 204)
            item = try #require(try await Self.items(me).first)
            #expect(item["newCount"]?.int == 0 && item["seenAt"]?.string == stage.clock.now().rfc3339)
            #expect(item["savedAt"] == (try saved.json["savedAt"]))
        }
    }

    @Test("A patch changes what it names, null clears a term, and a repetition changes nothing")
    func edits() async throws {
        try await onStage { stage, visitor in
            let me = try await visitor.signedIn("+8613800138002")
            let id = try await me.post(Self.path, #"{"q":"tea","near":\#(Self.near),"minRating":4.5,"alert":false}"#).string("id")
            let path = "\(Self.path)/\(id)"
            let named = try await me.patch(path, #"{"name":"Good tea","alert":true}"#, key: "k")
            #expect(try named.json["name"]?.string == "Good tea" && named.json["q"]?.string == "tea")
            #expect(try named.json["minRating"] == .number(4.5) && named.json["radius"] == .number(5_000))
            let head = stage.head
            _ = try await me.patch(path, #"{"name":"Good tea","alert":true}"#)
            #expect(stage.head == head)
            let bare = try await me.patch(path, #"{"near":null,"minRating":null,"q":null,"open":true}"#)
            #expect(try bare.json["near"] == .null && bare.json["radius"] == .null && bare.json["minRating"] == .null)
            #expect(try bare.json["q"] == .null && bare.json["open"] == .bool(true) && bare.json["name"]?.string == "Good tea")
            try await me.patch(path, #"{"radius":100}"#).expectInvalid("/radius")
            #expect(try await me.delete(path).status == 204)
            #expect(try await me.delete(path).status == 204)
            #expect(try await Self.items(me).isEmpty)
            try await me.patch(path, #"{"alert":true}"#).expectProblem("notFound", 404)
            let again = try await me.patch(path, #"{"name":"Good tea","alert":true}"#, key: "k")
            #expect(again.status == 200 && again.body == named.body, "the answer to an accepted request stays")
        }
    }

    @Test("Nobody sees or changes another's search")
    func strangers() async throws {
        try await onStage { _, visitor in
            let (me, other) = (try await visitor.signedIn("+8613800138002"), try await visitor.signedIn("+8613800138003"))
            let id = try await me.post(Self.path, #"{"q":"tea","alert":true}"#).string("id")
            #expect(try await Self.items(other).isEmpty)
            try await other.patch("\(Self.path)/\(id)", #"{"alert":false}"#).expectProblem("notFound", 404)
            try await other.delete("\(Self.path)/\(id)").expectProblem("notFound", 404)
            try await other.put("\(Self.path)/\(id)/seen").expectProblem("notFound", 404)
            try await visitor.get(Self.path).expectProblem("unauthenticated", 401)
        }
    }

    @Test(
        "An invalid term is named",
        arguments: [
            (#""q":"\#(String(repeating: "a", count: 101))""#, "/q"), (#""near":{"latitude":91,"longitude":0}"#, "/near"),
            (#""near":{"latitude":1}"#, "/near/longitude"), (#""radius":5"#, "/radius"),
            (#""near":{"latitude":90,"longitude":0},"radius":100001"#, "/radius"), (#""kind":"card""#, "/kind"),
            (#""minRating":5.5"#, "/minRating"), (#""minRating":"4""#, "/minRating"), (#""open":"yes""#, "/open"),
            (#""name":"\u202E""#, "/name"), (#""name":"""#, "/name"), (#""alert":1"#, "/alert"),
        ])
    func invalid(_ field: String, _ pointer: String) async throws {
        try await onStage { _, visitor in
            let me = try await visitor.signedIn("+8613800138002")
            let alert = field.contains("alert") ? "" : #","alert":true"#
            try await me.post(Self.path, "{\(field)\(alert)}").expectInvalid(pointer)
            try await me.post(Self.path, #"{"q":"tea"}"#).expectInvalid("/alert")
        }
    }

    @Test("Fifty searches around the pole are saved and counted, and the fifty-first is refused")
    func limit() async throws {
        try await onStage { _, visitor in
            let me = try await visitor.signedIn("+8613800138002")
            let body = #"{"near":{"latitude":90,"longitude":0},"radius":100000,"alert":true}"#
            for _ in 0..<50 { #expect(try await me.post(Self.path, body).status == 201) }
            let refused = try await me.post(Self.path, body)
            #expect(refused.status == 400 && refused.text.contains("50"), "\(refused.text)")
            let items = try await Self.items(me)
            #expect(items.count == 50 && items.allSatisfy { $0["newCount"]?.int == 0 })
        }
    }

    @Test("An alert is a notice, a change and part of the export, and its search is erased with its account")
    func alert() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let id = try await cast.customer.post(Self.path, #"{"q":"ten cups","alert":true}"#).string("id")
            let new = try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", Cast.campaignBody()).string("id")
            let before = stage.head
            stage.clock.advance(seconds: Self.day)
            try await stage.service.runDue()
            let me = try await visitor.signedIn("+8613800138002")
            let notices = try await me.get("/v1/me/notices")
            let notice = try #require(try notices.json["items"]?[0])
            #expect(notice["audience"]?.string == "search" && notice["search"]?.string == id && notice["hasMore"] == .bool(false))
            #expect(notice["campaigns"]?.items?.compactMap(\.string) == [new] && notice["title"] == .null && notice["shop"] == .null)
            #expect(try notices.json["unread"]?.int == 1)
            let notID = try #require(notice["id"]?.string)
            #expect(try await me.put("/v1/me/notices/\(notID)/read").status == 204)
            #expect(try await me.put("\(Self.path)/\(id)/seen").status == 204)
            let changes = try #require(try await me.get("/v1/me/changes?after=\(before)").json["items"]?.items)
            #expect(changes.contains { $0["kind"]?.string == "notice" && $0["id"]?.string == notID })
            #expect(changes.contains { $0["kind"]?.string == "search" && $0["value"]?["q"]?.string == "ten cups" })
            let other = try await visitor.signedIn("+8613800138003")
            try await other.put("/v1/me/notices/\(notID)/read").expectProblem("notFound", 404)
            let export = try await me.get("/v1/me/export").json
            #expect(export["searches"]?[0]?["q"]?.string == "ten cups")
            #expect(try await me.delete("\(Self.path)/\(id)").status == 204)
            let removed = try #require(try await me.get("/v1/me/changes?after=\(before)").json["items"]?.items)
            #expect(removed.contains { $0["id"]?.string == id && $0["removed"] == .bool(true) })
            #expect(try await me.get("/v1/me/export").json["searches"]?.items?.isEmpty == true)
        }
    }
}
