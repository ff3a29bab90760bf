import CommandService
import Composition
import Foundation
import HTTPTypes
import Loyalty
import LoyaltyCodec
import Testing

/// Tests pictures that an older version of the service stored. That version named a picture by the digest of the picture's bytes and did
/// not record who uploaded it, so several accounts may show one picture.
@Suite("Older images", .timeLimit(.minutes(15)))
struct OlderImageTests {
    private static let any: HTTPFields = [.ifMatch: "*"]

    /// Stores a picture at the path where an older version of the service stored it.
    ///
    /// - Returns: the picture's ID.
    private static func put(_ number: Int = 0, on stage: Stage) throws -> ImageID {
        try StoredFile(try #require(Data(base64Encoded: Visitor.pixels[number])), on: stage).image
    }

    private static func caller(_ visitor: Visitor) throws -> Caller { Caller(account: try #require(AccountID(text: visitor.account))) }

    /// Shows a picture in the cast's shop without checking who uploaded it, as an older version of the service did.
    private static func show(_ images: [ImageID], in cast: Cast, on stage: Stage) async throws {
        let edit = EditShop(shop: try #require(ShopID(text: cast.shop)), expected: .any, images: images)
        _ = try await stage.service.editShop(edit, by: caller(cast.owner))
    }

    private static func show(_ image: ImageID, of visitor: Visitor, on stage: Stage) async throws {
        var draft = ProfileDraft()
        draft.avatar = .set(image)
        _ = try await stage.service.editProfile(draft, by: caller(visitor))
    }

    private static func change(_ campaign: CampaignID, _ image: Change<ImageID>, of cast: Cast, on stage: Stage) async throws {
        let edit = EditCampaign(campaign: campaign, expected: .any, image: image)
        _ = try await stage.service.editCampaign(edit, by: caller(cast.owner))
    }

    @Test("An older picture can stay where it is shown, but cannot be added elsewhere")
    func shown() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let (first, second) = (try Self.put(0, on: stage), try Self.put(1, on: stage))
            try await Self.show([first, second], in: cast, on: stage)
            try await Self.show(first, of: cast.customer, on: stage)
            let shop = "/v1/shops/" + cast.shop
            let turned = #"{"images":["\#(second.text)","\#(first.text)"]}"#
            #expect(try await cast.owner.patch(shop, turned, headers: Self.any).status == 200)
            #expect(try await cast.customer.patch("/v1/me", #"{"avatar":"\#(first.text)"}"#).status == 200)
            try await cast.customer.patch("/v1/me", #"{"avatar":"\#(second.text)"}"#).expectInvalid("/avatar")
            let campaign = "/v1/campaigns/" + cast.campaign
            let image = #"{"image":"\#(first.text)"}"#
            try await cast.owner.patch(campaign, image, headers: Self.any).expectInvalid("/image")
            let edit = EditCampaign(campaign: try #require(CampaignID(text: cast.campaign)), expected: .any, image: .set(first))
            _ = try await stage.service.editCampaign(edit, by: Self.caller(cast.owner))
            #expect(try await cast.owner.patch(campaign, image, headers: Self.any).status == 200)
            stage.clock.advance(seconds: 86_401)
            #expect(try await stage.service.sweepImages() == 0)
        }
    }

    @Test("An older picture that two accounts show can be taken down only after one of them stops showing it")
    func shared() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let image = try Self.put(on: stage)
            let path = "/v1/images/" + image.text
            try await cast.owner.delete(path).expectProblem("forbidden", 403)
            try await Self.show([image], in: cast, on: stage)
            try await Self.show(image, of: cast.customer, on: stage)
            for visitor in [cast.owner, cast.customer] { try await visitor.delete(path).expectProblem("forbidden", 403) }
            _ = try await cast.customer.patch("/v1/me", #"{"avatar":null}"#)
            try await cast.customer.delete(path).expectProblem("forbidden", 403)
            #expect(try await cast.owner.delete(path).status == 204)
            try await visitor.get(path).expectProblem("notFound", 404)
        }
    }

    @Test("Editing another field of a profile does not show a taken-down picture again, and setting it again does")
    func takenDownBeforeAnEditOfAProfile() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let image = try Self.put(on: stage)
            let path = "/v1/images/" + image.text
            try await Self.show(image, of: cast.customer, on: stage)
            #expect(try await cast.customer.delete(path).status == 204)
            #expect(try await cast.customer.patch("/v1/me", #"{"nickname":"Li"}"#).status == 200)
            _ = try Self.put(on: stage)
            try await Self.show([image], in: cast, on: stage)
            #expect(try await cast.owner.delete(path).status == 204, "no other account shows the picture")

            _ = try Self.put(on: stage)
            try await Self.show(image, of: cast.customer, on: stage)
            try await Self.show([], in: cast, on: stage)
            try await Self.show([image], in: cast, on: stage)
            try await cast.owner.delete(path).expectProblem("forbidden", 403)
        }
    }

    @Test("Editing another field of a shop does not show a taken-down picture again, and setting it again does")
    func takenDownBeforeAnEditOfAShop() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let image = try Self.put(on: stage)
            let path = "/v1/images/" + image.text
            try await Self.show([image], in: cast, on: stage)
            #expect(try await cast.owner.delete(path).status == 204)
            let edited = try await cast.owner.patch("/v1/shops/" + cast.shop, #"{"phone":"+861087654321"}"#, headers: Self.any)
            #expect(edited.status == 200)
            _ = try Self.put(on: stage)
            try await Self.show(image, of: cast.customer, on: stage)
            #expect(try await cast.customer.delete(path).status == 204, "no other account shows the picture")

            _ = try Self.put(on: stage)
            try await Self.show(image, of: cast.customer, on: stage)
            try await Self.show([], in: cast, on: stage)
            try await Self.show([image], in: cast, on: stage)
            try await cast.customer.delete(path).expectProblem("forbidden", 403)
        }
    }

    @Test("Editing another field of a campaign does not show a taken-down picture again, and setting it again does")
    func takenDownBeforeAnEditOfACampaign() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let image = try Self.put(on: stage)
            let path = "/v1/images/" + image.text
            let campaign = try #require(CampaignID(text: cast.campaign))
            try await Self.change(campaign, .set(image), of: cast, on: stage)
            #expect(try await cast.owner.delete(path).status == 204)
            let edited = try await cast.owner.patch("/v1/campaigns/" + cast.campaign, #"{"goal":7}"#, headers: Self.any)
            #expect(edited.status == 200)
            _ = try Self.put(on: stage)
            try await Self.show(image, of: cast.customer, on: stage)
            #expect(try await cast.customer.delete(path).status == 204, "no other account shows the picture")

            _ = try Self.put(on: stage)
            try await Self.show(image, of: cast.customer, on: stage)
            try await Self.change(campaign, .removed, of: cast, on: stage)
            try await Self.change(campaign, .set(image), of: cast, on: stage)
            try await cast.customer.delete(path).expectProblem("forbidden", 403)
        }
    }
}
