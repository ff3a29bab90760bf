import EventLog
import Foundation
import Loyalty
import LoyaltyCodec
import Testing

@testable import CommandService
@testable import Composition

/// Offers of work to phone numbers without accounts.
@Suite("Offers that wait for a phone number", .timeLimit(.minutes(15)))
struct WaitingOfferTests {
    private static let number = "+8613800138333"

    private func invite(_ cast: Cast, _ number: String = number, role: String = "counter", by owner: Visitor? = nil) async throws -> Reply {
        let body = #"{"phone":"\#(number)","role":"\#(role)"}"#
        return try await (owner ?? cast.owner).post("/v1/shops/\(cast.shop)/invitations", body)
    }

    private func offers(_ visitor: Visitor) async throws -> [String] {
        try #require(try await visitor.get("/v1/me/invitations").json["items"]?.items).compactMap { $0["id"]?.string }
    }

    private func change(_ visitor: Visitor, to number: String = number) async throws -> Reply {
        let code = try await visitor.post("/v1/verifications", #"{"phone":"\#(number)"}"#).string("devCode")
        return try await visitor.put("/v1/me/phone", #"{"phone":"\#(number)","code":"\#(code)"}"#)
    }

    @Test("Somebody who registers the number finds the offer and accepts it, and a password or another number finds nothing")
    func registers() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            #expect(try await invite(cast, role: "manager").status == 202)
            #expect(try await offers(visitor.signedIn("+8613800138334")) == [])
            let clerk = try await visitor.signedIn(Self.number)
            let offer = try #require(try await offers(clerk).first)
            #expect(try await clerk.post("/v1/me/invitations/\(offer)/acceptance").status == 204)
            #expect(try await clerk.get("/v1/me/shops").json["items"]?[0]?["role"] == .string("manager"))
        }
    }

    @Test("An account that changes to the number finds the offers of all shops, once, and the shops learn nothing")
    func changes() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let rival = try await visitor.signedIn("+8613800138007")
            let other = try await rival.post("/v1/shops", Cast.shopBody).string("id")
            #expect(try await invite(cast).status == 202)
            #expect(try await rival.post("/v1/shops/\(other)/invitations", #"{"phone":"\#(Self.number)"}"#).status == 202)
            let list = "/v1/shops/\(cast.shop)/invitations"
            let before = try await cast.owner.get(list)
            let clerk = try await visitor.signedIn("+8613800138335")
            let after = try await clerk.get("/v1/me/changes").int("position")
            #expect(try await change(clerk).status == 200)
            let found = try await offers(clerk)
            #expect(found.count == 2 && Set(found).count == 2)
            #expect(try await cast.owner.get(list).body == before.body)
            let changed = try await clerk.get("/v1/me/changes?after=\(after)").json["items"]?.items ?? []
            #expect(Set(changed.filter { $0["kind"]?.string == "invitation" }.compactMap { $0["id"]?.string }) == Set(found))
            let head = stage.head
            #expect(try await invite(cast).status == 202)
            #expect(stage.head == head, "the same offer again is no other offer")
            for offer in found { #expect(try await clerk.post("/v1/me/invitations/\(offer)/acceptance").status == 204) }
        }
    }

    @Test("An offer that was withdrawn or lapsed is found by nobody", arguments: [true, false])
    func over(_ isWithdrawn: Bool) async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            _ = try await invite(cast)
            if isWithdrawn {
                let list = "/v1/shops/\(cast.shop)/invitations"
                let id = try #require(try await cast.owner.get(list).json["items"]?[0]?["id"]?.string)
                #expect(try await cast.owner.delete("\(list)/\(id)").status == 204)
            } else {
                stage.clock.advance(seconds: 7 * 86_400)
            }
            let clerk = try await visitor.signedIn("+8613800138335")
            #expect(try await change(clerk).status == 200)
            #expect(try await offers(clerk) == [])
            #expect(try await clerk.get("/v1/me/invitations").status == 200)
        }
    }

    @Test("An offer keeps the number reserved for as long as it is open")
    func reserved() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            _ = try await invite(cast)
            stage.clock.advance(seconds: 86 * 86_400)
            let owner = try await visitor.signedIn("+8613800138001")
            #expect(try await invite(cast, by: owner).status == 202)
            stage.clock.advance(seconds: 6 * 86_400)
            #expect(try await offers(visitor.signedIn(Self.number)).count == 1)
        }
    }

    @Test("Only an owner whose offer is accepted reserves a number, and the offer of a whole shop reserves none")
    func claims() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            func isClaimed() throws -> Bool { try stage.service.keyStore.account(ofPhone: Self.number) != nil }
            try await invite(cast, by: cast.customer).expectProblem("forbidden", 403)
            try await invite(cast, role: "owner").expectInvalid("/role")
            #expect(try await cast.owner.post("/v1/shops/\(cast.shop)/transfer", #"{"phone":"\#(Self.number)"}"#).status == 202)
            #expect(try !isClaimed())
            #expect(try await invite(cast).status == 202)
            #expect(try isClaimed())
            let clerk = try await visitor.signedIn("+8613800138335")
            #expect(try await change(clerk).status == 200)
            let kinds = try #require(try await clerk.get("/v1/me/invitations").json["items"]?.items).compactMap { $0["kind"]?.string }
            #expect(kinds == ["staff"], "a number may change hands, and a shop would go with it")
        }
    }

    @Test("After the account that took an offer is erased, the number leads to nothing in the log")
    func erased() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            _ = try await invite(cast)
            let clerk = try await visitor.signedIn("+8613800138335")
            #expect(try await change(clerk).status == 200)
            #expect(try await clerk.delete("/v1/me").status == 204)
            #expect(try stage.service.keyStore.account(ofPhone: Self.number) == nil)
            let nobody = stage.service.keys.nobody(withPhone: Self.number)
            #expect(try stage.service.reading { try $0.history(of: nobody, after: .start, limit: 10) }.isEmpty)
            let again = try await visitor.signedIn(Self.number)
            #expect(again.account != clerk.account)
            #expect(try await offers(again) == [])
        }
    }
}
