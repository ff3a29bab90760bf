import HTTPTypes
import Testing

@testable import HTTPAPI

@Suite("Event list for operators", .timeLimit(.minutes(15)))
struct EventTests {
    private static func positions(_ reply: Reply) throws -> [Int] {
        try reply.json["items"]?.items?.compactMap { $0["position"]?.int } ?? []
    }

    @Test("Paging lists every event exactly once and in order, even while events are added")
    func pages() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let head = try await visitor.signedIn(Stage.operatorPhone, name: "operator")
            let last = Int(stage.head)
            var (seen, next) = ([Int](), "")
            repeat {
                let page = try await head.get("/v1/admin/events?limit=3\(next)")
                #expect(page.status == 200 && page.headers[.cacheControl] == "no-store", "\(page.text)")
                seen += try Self.positions(page)
                if seen.count < 7 { _ = try await cast.issue() }
                next = try page.json["next"]?.string.map { "&cursor=\($0)" } ?? ""
            } while !next.isEmpty
            #expect(seen == Array(1...Int(stage.head)) && seen.count > last)
            #expect(try await Self.positions(head.get("/v1/admin/events?after=\(last)&limit=1")) == [last + 1])
            #expect(try await Self.positions(head.get("/v1/admin/events?after=\(stage.head)")) == [])
            #expect(try await Self.positions(head.get("/v1/admin/events?after=18446744073709551615")) == [])
        }
    }

    @Test("A page of one type examines a limited number of events, and its cursor continues after the last of them")
    func walk() async throws {
        try await onStage(try Stage(configure: { $0.eventsWalkedMax = 2 })) { stage, visitor in
            let cast = try await Cast(visitor)
            let head = try await visitor.signedIn(Stage.operatorPhone, name: "operator")
            let code = try await cast.issue().code
            _ = try await cast.stamp(code)
            let end = Int(stage.head)
            var (seen, next, pages) = ([Int](), "", 0)
            repeat {
                let page = try await head.get("/v1/admin/events?type=CardStamped&limit=1\(next)")
                seen += try Self.positions(page)
                pages += 1
                next = try page.json["next"]?.string.map { "&cursor=\($0)" } ?? ""
            } while !next.isEmpty
            #expect(seen == [end] && pages == (end + 1) / 2, "\(seen) in \(pages) pages of \(end)")
            // A tag's events are found by the index.
            let shop = try await head.get("/v1/admin/events?tag=shop:\(cast.shop)&limit=100")
            #expect(try Self.positions(shop).count > 2 && shop.json["next"]?.string == nil)
        }
    }

    @Test("Events can be filtered by type, by tag and by both")
    func filters() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let head = try await visitor.signedIn(Stage.operatorPhone, name: "operator")
            let card = try await cast.stamp(try await cast.issue().code).string("card", "id")
            let ofCard = try await head.get("/v1/admin/events?tag=card:\(card)")
            #expect(try ofCard.json["items"]?.items?.compactMap { $0["type"]?.string } == ["CardOpened", "CardStamped"])
            let stamps = try await head.get("/v1/admin/events?tag=card:\(card)&type=CardStamped")
            #expect(try Self.positions(stamps) == [Int(stage.head)])
            let event = try #require(try stamps.json["items"]?[0])
            #expect(event["actor"]?.string == cast.customer.account && event["event"]?["card"]?.string == card)
            let people = try await head.get("/v1/admin/events?type=AccountRegistered&limit=2")
            #expect(try Self.positions(people).count == 2)
            // Sealed fields stay sealed, and a cursor is valid for its own list only.
            #expect(!people.text.contains("13800138001"))
            #expect(try people.json["items"]?[0]?["sealed"]?["sealedPhone"]?.string != nil)
            let cursor = try people.string("next")
            try await head.get("/v1/admin/events?cursor=\(cursor)").expectInvalid("/cursor")
            #expect(try await Self.positions(head.get("/v1/admin/events?type=AccountRegistered&cursor=\(cursor)")).count == 1)
        }
    }

    @Test(
        "An invalid parameter is named",
        arguments: [
            ("after", "-1"), ("after", "x"), ("after", "01"), ("tag", "card"), ("tag", "card:x"), ("tag", "hat:1"),
            ("tag", "digest:00000000000000000000000000000000"), ("type", "cardStamped"), ("type", "41"), ("limit", "0"), ("limit", "101"),
            ("cursor", "x"),
        ])
    func nonsense(_ name: String, _ value: String) async throws {
        try await onStage { _, visitor in
            let head = try await visitor.signedIn(Stage.operatorPhone, name: "operator")
            try await head.get("/v1/admin/events?\(name)=\(value)").expectInvalid("/" + name)
        }
    }
}
