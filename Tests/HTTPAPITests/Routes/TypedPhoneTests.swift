import CommandService
import Composition
import Foundation
import HTTPTypes
import Loyalty
import LoyaltyCodec
import Testing

@testable import HTTPAPI

@Suite("Numbers as people type them", .timeLimit(.minutes(15)))
struct TypedPhoneTests {
    private static let refused = "+999123456789"

    /// A shop of the owner whose number has a region, with a running campaign.
    private func campaign(of owner: Visitor, phone: String) async throws -> (shop: String, campaign: String, opened: Reply) {
        let body = Cast.shopBody.replacing(#""phone":"+861012345678""#, with: phone)
        let opened = try await owner.post("/v1/shops", body)
        #expect(opened.status == 201, "\(opened.text)")
        let shop = try opened.string("id")
        return (shop, try await owner.post("/v1/shops/\(shop)/campaigns", Cast.campaignBody()).string("id"), opened)
    }

    @Test("Stamps for a number typed in Denver go to the person in Denver")
    func denver() async throws {
        try await onStage { _, visitor in
            let owner = try await visitor.signedIn("+8613800138001")
            let (shop, campaign, opened) = try await campaign(of: owner, phone: #""phone":"(303) 555-0100","region":"US""#)
            #expect(try opened.string("phone") == "+13035550100")
            let region = try opened.string("region")
            #expect(region == "US")
            #expect(try await owner.get("/v1/me/shops").json["items"]?[0]?["region"]?.string == "US")
            #expect(try await owner.get("/v1/shops/" + shop).string("region") == "US")
            let gift = #"{"phone":"1 303 555 1234","region":"\#(region)"}"#
            let given = try await owner.post("/v1/campaigns/\(campaign)/stamps", gift, key: "denver")
            #expect(given.status == 201, "\(given.text)")
            #expect(try given.string("phone") == "+13035551234")
            #expect(try await owner.post("/v1/campaigns/\(campaign)/stamps", gift, key: "denver").body == given.body)
            let card = try given.string("card", "id")
            let customer = try await visitor.signedIn("+13035551234")
            #expect(try await customer.get("/v1/cards/" + card).status == 200)
            let stranger = try await visitor.signedIn("+8613035551234")
            #expect(try await stranger.get("/v1/cards/" + card).status == 404)
        }
    }

    @Test(
        "A zero that only dials the number is left out",
        arguments: [
            ("+44 (0)20 7946 0958", "+442079460958"), ("+86013912345678", "+8613912345678"), ("+86 (0)139 1234 5678", "+8613912345678"),
        ])
    func zeros(_ typed: String, _ number: String) async throws {
        try await onStage { _, visitor in
            let sent = try await visitor.post("/v1/verifications", #"{"phone":"\#(typed)"}"#)
            #expect(try sent.string("phone") == number)
            #expect(try sent.json["isPossible"] == .bool(true))
            let code = try sent.string("devCode")
            let session = try await visitor.post("/v1/sessions", #"{"phone":"\#(typed)","code":"\#(code)"}"#)
            #expect(try session.string("account", "phone") == number)
            #expect(try await visitor.signedIn(number).account == session.string("account", "id"))
        }
    }

    @Test("Every request with a number takes a region, and refuses a wrong region and an impossible number")
    func everywhere() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let officer = try await visitor.signedIn(Stage.operatorPhone)
            let shop = "/v1/shops/" + cast.shop
            typealias Send = (_ phone: String) async throws -> Reply
            let place = #""location":{"latitude":1,"longitude":1}"#
            let requests: [Send] = [
                { try await visitor.post("/v1/verifications", "{\($0)}") },
                { try await visitor.post("/v1/sessions", #"{\#($0),"password":"secret12"}"#) },
                { try await cast.customer.put("/v1/me/phone", #"{\#($0),"code":"000000"}"#) },
                { try await cast.owner.post("/v1/shops", #"{"name":"Tea","address":"1 Road",\#(place),\#($0)}"#) },
                { try await cast.owner.patch(shop, "{\($0)}", headers: [.ifMatch: "*"]) },
                { try await cast.owner.post(shop + "/invitations", "{\($0)}") },
                { try await cast.owner.post(shop + "/transfer", "{\($0)}") },
                { try await cast.owner.post("/v1/campaigns/\(cast.campaign)/stamps", "{\($0)}", key: UUID().uuidString) },
                { try await officer.post("/v1/admin/accounts/search", "{\($0)}") },
                { try await officer.put("/v1/admin/accounts/\(cast.customer.account)/phone", #"{\#($0),"reason":"Lost"}"#) },
            ]
            for (number, send) in requests.enumerated() {
                try await send(#""phone":"020 7946 0959","region":"ZZ""#).expectInvalid("/region")
                try await send(#""phone":"020 7946 0959""#).expectInvalid("/phone")
                try await send(#""phone":"+44 20 7946","region":"GB""#).expectInvalid("/phone")
                let taken = try await send(#""phone":"020 7946 095\#(number)","region":"gb""#)
                #expect(taken.status < 300 || taken.status == 422, "\(taken.text)")
            }
        }
    }

    @Test("An old account under a refused number signs in, by code and by password, and a new one is not registered")
    func old() async throws {
        try await onStage { stage, visitor in
            let account = try await stage.service.register(try #require(E164Number(Self.refused)))
            let stranger = "+999123456780"
            let known = try await visitor.post("/v1/verifications", #"{"phone":"\#(Self.refused)"}"#)
            let unknown = try await visitor.post("/v1/verifications", #"{"phone":"\#(stranger)"}"#)
            #expect(known.status == 202 && unknown.status == 202)
            #expect(try known.json.names == unknown.json.names)
            #expect(try known.json["isPossible"] == .bool(false) && unknown.json["isPossible"] == .bool(false))
            for phone in [Self.refused, stranger] {
                for secret in [#""code":"none""#, #""password":"password of nobody""#] {
                    try await visitor.post("/v1/sessions", #"{"phone":"\#(phone)",\#(secret)}"#).expectProblem("verificationNotValid", 422)
                }
            }
            let code = try known.string("devCode")
            let session = try await visitor.post("/v1/sessions", #"{"phone":"\#(Self.refused)","code":"\#(code)"}"#)
            #expect(try session.string("account", "id") == account.id.text)
            var me = visitor
            me.token = try session.string("accessToken")
            let again = try await visitor.post("/v1/verifications", #"{"phone":"\#(Self.refused)"}"#).string("devCode")
            #expect(try await me.put("/v1/me/password", #"{"new":"a long password","code":"\#(again)"}"#).status < 300)
            let typed = #"{"phone":"\#(Self.refused)","password":"a long password"}"#
            #expect(try await visitor.post("/v1/sessions", typed).string("account", "id") == account.id.text)

            let head = stage.head
            let right = try unknown.string("devCode")
            try await visitor.post("/v1/sessions", #"{"phone":"\#(stranger)","code":"\#(right)"}"#).expectInvalid("/phone")
            #expect(stage.head == head)
        }
    }

    @Test(
        "An old account under a number that the plans write otherwise signs in with the digits by which it registered",
        arguments: [("+5215512345678", "+52 1 55 1234 5678", "+525512345678"), ("+4402079460958", "+44 (0)20 7946 0958", "+442079460958")])
    func rewritten(_ stored: String, _ typed: String, _ number: String) async throws {
        try await onStage { stage, visitor in
            let account = try await stage.service.register(try #require(E164Number(stored)))
            let sent = try await visitor.post("/v1/verifications", #"{"phone":"\#(typed)"}"#)
            #expect(try sent.string("phone") == number)
            let session = try await visitor.post("/v1/sessions", #"{"phone":"\#(typed)","code":"\#(try sent.string("devCode"))"}"#)
            #expect(try session.string("account", "id") == account.id.text)
            var me = visitor
            me.token = try session.string("accessToken")
            // A page asks for a code with the number that the account shows.
            let code = try await visitor.post("/v1/verifications", #"{"phone":"\#(stored)"}"#).string("devCode")
            #expect(try await me.put("/v1/me/password", #"{"new":"a long password","code":"\#(code)"}"#).status < 300)
            let officer = try await visitor.signedIn(Stage.operatorPhone)
            let found = try await officer.post("/v1/admin/accounts/search", #"{"phone":"\#(stored)"}"#)
            #expect(try found.json["items"]?[0]?["id"]?.string == account.id.text)
        }
    }

    @Test("A shop keeps the number that it had before numbers had regions, until it gets another")
    func oldShop() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let owner = try #require(AccountID(text: cast.owner.account))
            let opened = try await stage.service.openShop(
                name: "Old", phone: "010-1234", address: "1 Road", location: Coordinate(latitude: 1, longitude: 1),
                by: Caller(account: owner))
            guard case .shopOpened(let event) = opened.facts.last?.event else { throw Missing() }
            let path = "/v1/shops/" + event.shop.text
            #expect(try await cast.owner.get(path).json["region"] == .null)
            let kept = try await cast.owner.patch(path, #"{"name":"Older","phone":"010-1234"}"#, headers: [.ifMatch: "*"])
            #expect(try kept.string("phone") == "010-1234")
            try await cast.owner.patch(path, #"{"phone":"010-1235"}"#, headers: [.ifMatch: "*"]).expectInvalid("/phone")
            let edited = try await cast.owner.patch(path, #"{"phone":"021 6123 4567","region":"CN"}"#, headers: [.ifMatch: "*"])
            #expect(try edited.string("phone") == "+862161234567")
            #expect(try edited.string("region") == "CN")
        }
    }

    @Test("A retry is recognised by the typed text and its region; a request without a region has the content it always had")
    func retries() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let path = "/v1/shops/\(cast.shop)/invitations"
            let typed = #"{"phone":"(0)20 7946 0959","region":"GB"}"#
            let first = try await cast.owner.post(path, typed, key: "k")
            #expect(try first.string("phone") == "+442079460959")
            #expect(try await cast.owner.post(path, typed, key: "k").body == first.body)
            try await cast.owner.post(path, #"{"phone":"(0)20 7946 0959","region":"IE"}"#, key: "k")
                .expectProblem("idempotencyKeyReused", 422)
        }
        var plain = CanonicalRequest("POST /v1/shops/invitations")
        let before = plain.bytes
        plain.add(regionOf: PhoneField(text: "+442079460959", region: nil))
        #expect(plain.bytes == before)
    }

    private struct Missing: Error {}
}
