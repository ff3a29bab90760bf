import Foundation
import HTTPTypes
import Testing

@testable import HTTPAPI

/// The list of a shop's customers over HTTP.
@Suite("Customers", .timeLimit(.minutes(15)))
struct CustomerTests {
    private static func handles(_ reply: Reply) throws -> [String] {
        try #require(try reply.json["items"]?.items).compactMap { $0["handle"]?.string }
    }

    @Test("A customer is listed with visits and cards, by handle, by nickname only after a review, and never by account or number")
    func listed() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let path = "/v1/shops/\(cast.shop)/customers"
            #expect(try await cast.owner.get(path).json["items"]?.items?.isEmpty == true)
            _ = try await cast.customer.patch("/v1/me", #"{"nickname":"小绿"}"#)
            _ = try await cast.stamp(try await cast.issue(stamps: 2).code)
            #expect(try await cast.owner.get(path).json["items"]?[0]?["nickname"] == .null, "the name was not given to this shop")
            #expect(try Self.handles(try await cast.owner.get(path + "?q=%E7%BB%BF")).isEmpty, "a search shows who has the name")
            let review = try await cast.customer.post("/v1/shops/\(cast.shop)/reviews", #"{"rating":5}"#)
            #expect(try Self.handles(try await cast.owner.get(path + "?q=%E7%BB%BF")).count == 1)
            let reply = try await cast.owner.get(path)
            #expect(reply.headers[.cacheControl] == "no-store")
            #expect(!reply.text.contains("acct_") && !reply.text.contains("138002"), "\(reply.text)")
            let (item, author) = (try #require(try reply.json["items"]?[0]), try #require(try review.json["author"]))
            #expect(item["handle"] == author["handle"] && item["nickname"] == .string("小绿"))
            let day = try #require(item["lastVisit"])
            #expect(item["visits"]?.int == 1 && item["firstVisit"] == day && item["lastVisits"]?.items == [day])
            let card = try #require(item["cards"]?[0])
            #expect(card["campaign"]?["id"]?.string == cast.campaign && card["stamps"]?.int == 2 && card["status"] == .string("collecting"))
            let segments = try #require(try reply.json["segments"])
            #expect(["all", "new", "regular", "nearlyFull", "full", "lapsed"].map { segments[$0]?.int } == [1, 1, 0, 1, 0, 0])
        }
    }

    @Test("An erased customer disappears from list and counts at once, and a shop sees no customer of another shop")
    func erased() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let other = try await visitor.signedIn("+8613800138003")
            let shop = try await other.post("/v1/shops", Cast.shopBody).string("id")
            _ = try await cast.stamp(try await cast.issue().code)
            #expect(try Self.handles(try await cast.owner.get("/v1/shops/\(cast.shop)/customers")).count == 1)
            #expect(try Self.handles(try await other.get("/v1/shops/\(shop)/customers")).isEmpty)
            let erased = try await cast.customer.send(.delete, "/v1/me", key: UUID().uuidString)
            #expect(erased.status == 204)
            let left = try await cast.owner.get(
                "/v1/shops/\(cast.shop)/customers", headers: [.minPosition: "\(stage.head)"])
            #expect(try Self.handles(left).isEmpty)
            #expect(try left.json["segments"]?["all"]?.int == 0)
        }
    }

    @Test("Pages and searches lead to each customer once, and a cursor belongs to its list")
    func pages() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            for number in 10..<17 {
                let guest = try await visitor.signedIn("+86138001380\(number)")
                _ = try await guest.patch("/v1/me", #"{"nickname":"Guest \#(number)"}"#)
                _ = try await guest.post("/v1/shops/\(cast.shop)/reviews", #"{"rating":4}"#)
                _ = try await cast.stamp(try await cast.issue().code, as: guest)
            }
            let path = "/v1/shops/\(cast.shop)/customers"
            let all = try Self.handles(try await cast.owner.get(path))
            #expect(Set(all).count == 7)
            for query in ["", "q=guest&"] {
                var (found, next): ([String], String?) = ([], "")
                while let cursor = next {
                    let page = try await cast.owner.get("\(path)?\(query)limit=3" + (cursor.isEmpty ? "" : "&cursor=\(cursor)"))
                    found += try Self.handles(page)
                    next = try page.json["next"]?.string
                }
                #expect(found == all)
            }
            #expect(try Self.handles(try await cast.owner.get("\(path)?q=guest%2013")).count == 1)
            #expect(try Self.handles(try await cast.owner.get("\(path)?q=\(all[2].prefix(9).uppercased())")) == [all[2]])
            let cursor = try await cast.owner.get("\(path)?limit=3").string("next")
            let later = try await cast.owner.get("\(path)?limit=4").string("next")
            #expect(cursor.prefix(6) != later.prefix(6), "both places begin with the same day, so a cursor shows its customer's account")
            try await cast.owner.get("\(path)?limit=3&sort=visits&cursor=\(cursor)").expectInvalid("/cursor")
            try await cast.owner.get("\(path)?segment=best").expectInvalid("/segment")
        }
    }
}
