import Composition
import EventLog
import Foundation
import HTTPTypes
import Projections
import ReadModels
import Testing
import WebPages

@testable import HTTPAPI

@Suite("The page of a shop's numbers", .timeLimit(.minutes(15)))
struct NumbersTests {
    private static let parts = ["days", "customers", "branches"]

    private static func path(_ cast: Cast, _ part: String, _ query: String = "") -> String { "/shop/\(cast.shop)/numbers/\(part)\(query)" }

    private static func section(_ name: String, of reply: Reply) throws -> JSONValue {
        try #require(try reply.json["sections"]?.items?.first { $0["name"]?.string == name }, "\(reply.text)")
    }

    @Test("Events are shown in a table, with a chart of whole numbers, in the reader's language")
    func days() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            _ = try await cast.redeem(try await cast.redemption(of: try await cast.fullCard()).code)
            let reply = try await cast.owner.get(Self.path(cast, "days"), headers: [.acceptLanguage: "en"])
            #expect(reply.status == 200 && reply.headers[.cacheControl] == "no-store")
            #expect(try reply.string("from") == "2026-11-16" && reply.string("to") == "2026-11-21")
            let days = try Self.section("days", of: reply)
            #expect(days["rows"]?.items?.count == 6)
            #expect(
                days["rows"]?[0]?.items
                    == [.string("2026-11-21"), .number(1), .number(3), .number(1), .number(1), .number(1), .number(0)])
            let chart = try #require(days["chart"]?.string)
            #expect(chart.hasPrefix("<svg ") && chart.contains(">Stamps<") && !chart.contains(">0.5<"))
            let staff = try Self.section("staff", of: reply)
            #expect(staff["rows"]?[0]?[2] == .number(3) && staff["readersRow"] == .number(0) && days["readersRow"] == .null)
            #expect(!reply.text.contains("(you)"), "a saved table has the names alone")
            let chinese = try await cast.owner.get(Self.path(cast, "days?days=365"), headers: [.acceptLanguage: "zh-CN"])
            #expect(try Self.section("days", of: chinese)["title"] == .string("随时间变化"))
            #expect(try Self.section("days", of: chinese)["rows"]?.items?.count == 365)
        }
    }

    @Test("A report whose model is behind says that it is not complete, and the next one after the model caught up says that it is")
    func incomplete() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            _ = try await cast.fullCard()
            let stall = try await Stall([Statistics.name, Journeys.name], of: stage.service)
            _ = try await cast.stamp(try await cast.issue().code)
            for part in ["days", "customers"] {
                #expect(try await cast.owner.get(Self.path(cast, part, "?days=30")).json["isComplete"] == .bool(false), "\(part)")
            }
            stall.end()
            #expect(await stage.service.models.reached(stage.service.log.head, timeoutSeconds: 600))
            for part in Self.parts {
                #expect(try await cast.owner.get(Self.path(cast, part, "?days=30")).json["isComplete"] == .bool(true), "\(part)")
            }
        }
    }

    @Test("A day on which only a milestone's reward was handed out has a table with its customer")
    func milestones() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let body: String = Cast.campaignBody().dropLast() + #","milestones":[{"at":1,"reward":"A cookie"}]}"#
            let campaign = try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", body).string("id")
            let stamp = try await cast.owner.post("/v1/campaigns/\(campaign)/codes").string("code")
            let card = try await cast.stamp(stamp).string("card", "id")
            // Access tokens do not last for a day, so both sign in again.
            stage.clock.advance(seconds: 86_400)
            let owner = try await visitor.signedIn("+8613800138001", name: "owner")
            let customer = try await visitor.signedIn("+8613800138002", name: "customer")
            let code = try await customer.post("/v1/cards/\(card)/redemption", #"{"milestone":1}"#).string("code")
            #expect(try await owner.post("/v1/redemptions", #"{"code":"\#(code)"}"#, key: "milestone").status == 201)
            let days = try Self.section("days", of: try await owner.get(Self.path(cast, "days", "?days=1")))
            #expect(days["rows"]?[0]?.items?.compactMap(\.int) == [0, 0, 0, 1, 0, 0], "\(days)")
            #expect(days["chart"]?.string?.hasPrefix("<svg ") == true)
        }
    }

    @Test("A young shop sees the time since the week of its first event, an older one the shortest range with an event")
    func usualDays() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            // Access tokens do not last for days, so the owner signs in again.
            func shown() async throws -> Int? {
                let owner = try await visitor.signedIn("+8613800138001", name: "owner")
                return try Self.section("days", of: try await owner.get(Self.path(cast, "days")))["rows"]?.items?.count
            }
            #expect(try await cast.owner.get(Self.path(cast, "days")).string("from") == "2026-10-23", "the shop has no events yet")
            _ = try await cast.stamp(try await cast.issue().code)
            #expect(try await shown() == 6)
            for (days, expected) in [(24, 30), (1, 30), (60, 90), (20, 365)] as [(Int64, Int)] {
                stage.clock.advance(seconds: days * 86_400)
                #expect(try await shown() == expected, "the range after \(days) more days")
            }
            let customer = try await visitor.signedIn("+8613800138002", name: "customer")
            let owner = try await visitor.signedIn("+8613800138001", name: "owner")
            let code = try await owner.post("/v1/campaigns/\(cast.campaign)/codes").string("code")
            #expect(try await cast.stamp(code, as: customer).status == 201)
            #expect(try await shown() == 30)
        }
    }

    @Test("The sections on returning customers, filled and abandoned cards and a campaign's effect equal the analytics")
    func customers() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            _ = try await cast.fullCard()
            stage.clock.advance(seconds: 300)
            _ = try await cast.fullCard()
            let reply = try await cast.owner.get(Self.path(cast, "customers", "?days=90&campaign=\(cast.campaign)"))
            #expect(try reply.json["sections"]?.items?.map { $0["name"]?.string } == ["retention", "fill", "left", "effect"])
            let retention = try Self.section("retention", of: reply)
            #expect(retention["rows"]?[0]?.items == [.string("2026-11-16"), .number(1), .number(1)])
            #expect(try Self.section("fill", of: reply)["rows"]?[0]?.items == [.number(0), .number(2)])
            #expect(try Self.section("left", of: reply)["rows"]?.items?.count == 3)
            #expect(try Self.section("effect", of: reply)["rows"]?.items?.isEmpty == false)
            let without = try await cast.owner.get(Self.path(cast, "customers"))
            #expect(try without.json["sections"]?.items?.count == 3)
        }
    }

    @Test("A report too short for any card to be idle says nothing of abandoned cards, unless a card was discarded")
    func tooEarly() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let card = try await cast.stamp(try await cast.issue().code).string("card", "id")
            func left(_ days: Int) async throws -> JSONValue {
                let reply = try await cast.owner.get(Self.path(cast, "customers", "?days=\(days)"), headers: [.acceptLanguage: "en"])
                return try Self.section("left", of: reply)
            }
            // A card opened on the first of 61 days was opened 60 days before the last day, and is idle only after more than 60 days.
            for days in [30, 60, 61] {
                let early = try await left(days)
                #expect(early["finding"]?.string?.hasPrefix("Too early to tell") == true && early["chart"] == .null, "\(days)")
                #expect(early["finding"]?.string?.contains("for more than 60 days") == true, "a card is not idle on the sixtieth day")
                #expect(early["figures"]?[2]?["value"] == .null && early["rows"]?.items?.isEmpty == false, "\(days)")
            }
            for days in [62, 90] {
                let late = try await left(days)
                #expect(late["finding"] == .string("") && late["figures"]?[2]?["value"] == .number(0), "\(days)")
                #expect(late["chart"]?.string?.hasPrefix("<svg ") == true, "\(days)")
            }
            #expect(try await cast.customer.delete("/v1/cards/\(card)").status == 204)
            let thrown = try await left(30)
            #expect(thrown["finding"] == .string(""), "one card is no finding")
            #expect(thrown["chart"]?.string?.contains(">100%<") == true)
        }
    }

    @Test("Stamps given by mistake and taken back abandon no card, and the page says which figures still count them")
    func mistakes() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            func takeBack(_ stamps: Int) async throws {
                let position = try await cast.stamp(try await cast.issue(stamps: stamps).code).int("position")
                #expect(try await cast.owner.post("/v1/stamps/\(position)/reversal", #"{"reason":"Wrong customer"}"#).status == 200)
            }
            func section(_ name: String, _ part: String) async throws -> JSONValue {
                try Self.section(name, of: try await cast.owner.get(Self.path(cast, part), headers: [.acceptLanguage: "en"]))
            }
            // The goal is three stamps, so four stamps fill a card and begin another. The reversal empties the filled card and discards the
            // other.
            try await takeBack(4)
            let empty = try await section("left", "customers")
            #expect(empty["figures"]?.items?.map { $0["value"] } == [.number(0), .number(0), .null] && empty["finding"] == .string(""))
            #expect(empty["rows"]?.items?.isEmpty == true && empty["chart"] == .null)
            // The customer's card has two of three stamps. Four more stamps, given by mistake, fill it, and the rest of them are on another
            // card.
            _ = try await cast.stamp(try await cast.issue(stamps: 2).code)
            try await takeBack(4)
            let left = try await section("left", "customers")
            #expect(left["figures"]?.items?.map { $0["value"] } == [.number(1), .number(0), .null])
            #expect(left["finding"]?.string?.hasPrefix("Too early to tell") == true)
            #expect(left["rows"]?.items?.map { $0[3] } == [.number(0), .number(0), .number(0)])
            #expect(left["hint"]?.string?.contains("nor those whose stamps were all taken back") == true)
            let days = try await section("days", "days")
            #expect(days["more"]?[1]?["label"] == .string("Became full in this time, even if undone"))
            #expect(days["more"]?[1]?["value"] != .number(0))
            #expect(days["hint"]?.string?.contains("so do the cards that they opened or filled, and the customer") == true)
            #expect(try await section("fill", "customers")["figures"]?[0]?["value"] == .number(0))
            #expect(try await section("retention", "customers")["hint"]?.string?.contains("even if its stamps are taken back") == true)
        }
    }

    @Test("The page of a shop without visits has titles and no tables")
    func empty() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            for part in Self.parts {
                let reply = try await cast.owner.get(Self.path(cast, part))
                for section in try reply.json["sections"]?.items ?? [] {
                    #expect(section["title"]?.string?.isEmpty == false)
                    #expect(section["rows"]?.items?.isEmpty == true && section["chart"] == .null, "\(section)")
                }
            }
        }
    }

    @Test("People with several shops see them side by side, without the shops where they only work at the counter")
    func branches() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            #expect(try await cast.owner.get(Self.path(cast, "branches")).json["sections"]?.items?.isEmpty == true)
            let other = try await cast.customer.post("/v1/shops", Cast.shopBody).string("id")
            let manager = try await visitor.signedIn("+8613800138003", name: "manager")
            try await cast.hire(manager, as: "manager")
            #expect(try await manager.get(Self.path(cast, "branches")).json["sections"]?.items?.isEmpty == true)
            let offered = try await cast.customer.put("/v1/shops/\(other)/staff/\(manager.account)", #"{"role":"counter"}"#)
            #expect(offered.status == 202)
            let offer = try #require(try await manager.get("/v1/me/invitations").json["items"]?[0]?["id"]?.string)
            #expect(try await manager.post("/v1/me/invitations/\(offer)/acceptance").status == 204)
            #expect(try await manager.get(Self.path(cast, "branches")).json["sections"]?.items?.isEmpty == true)
            let second = try await cast.owner.post("/v1/shops", Cast.shopBody.replacing("好喝奶茶店", with: "=1+1")).string("id")
            #expect(!second.isEmpty)
            let reply = try await cast.owner.get(Self.path(cast, "branches"))
            #expect(try Self.section("branches", of: reply)["rows"]?.items?.prefix(2).map { $0[0]?.string } == ["好喝奶茶店", "=1+1"])
        }
    }

    @Test("Shops with too many visits for one report are not compared and the page says so; any other error fails the page")
    func tooManyVisits() async throws {
        for language in PageLanguage.allCases {
            let words = NumbersWords(language: language)
            let section = try await NumbersRoutes.compared(words) { throw ReadModelError(.tooMuch, model: Statistics.name, "rows") }
            #expect(section.name == "branches" && section.rows.isEmpty && section.finding == words(.numbersBranchesTooMuch))
            await #expect(throws: ReadModelError.self) {
                _ = try await NumbersRoutes.compared(words) { throw ReadModelError(.damaged, model: Statistics.name, "a row") }
            }
        }
    }

    @Test("Only those who may see the statistics get any part of the page")
    func refused() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let counter = try await visitor.signedIn("+8613800138003", name: "counter")
            try await cast.hire(counter)
            let stranger = try await visitor.signedIn("+8613800138004", name: "stranger")
            for part in Self.parts {
                let path = Self.path(cast, part)
                try await visitor.get(path).expectProblem("unauthenticated", 401)
                try await stranger.get(path).expectProblem("forbidden", 403)
                try await counter.get(path).expectProblem("roleRequired", 403)
                try await cast.owner.get("/shop/shop_00000000000000000000000000/numbers/\(part)").expectProblem("notFound", 404)
                let ranges = ["0", "-30", "030", "366", "x", ""]
                for days in ranges { try await cast.owner.get(path + "?days=\(days)").expectInvalid("/days") }
            }
            try await cast.owner.get(Self.path(cast, "customers", "?campaign=x")).expectInvalid("/campaign")
            let foreign = Self.path(cast, "customers", "?campaign=camp_00000000000000000000000000")
            try await cast.owner.get(foreign).expectProblem("notFound", 404)
        }
    }
}
