import Loyalty
import Testing
import World

/// Edits of a shop with encrypted contact data, which decisions cannot read.
@Suite struct SealedEditTests {
    private static let sealed = Sealed([1, 2, 3])
    private static let opened = LoyaltyEvent.shopOpened(
        ShopOpened(shop: Sample.shop, owner: Sample.owner, contact: .sealed(sealed)))
    private let open = Scenario.registered.given(opened)

    private func edit(_ name: String?, images: [ImageID]? = nil, _ resealed: ResealedContact?) -> Command {
        .editShop(EditShop(shop: Sample.shop, expected: .any, name: name, images: images, resealed: resealed))
    }

    private var version: UInt64 { open.world.shops[Sample.shop]?.version ?? 0 }

    @Test("An edit of sealed contact data must contain the new data in sealed form")
    func needsSealing() {
        open.when(edit("Tea", nil), by: Sample.owner).thenRejected(.versionConflict)
    }

    @Test("Contact data that was sealed for another version of the shop is refused")
    func anotherVersion() {
        let resealed = ResealedContact(contact: Sealed([4]), basis: version + 1)
        open.when(edit("Tea", resealed), by: Sample.owner).thenRejected(.versionConflict)
    }

    @Test("The event of an edit contains all data of the shop, sealed")
    func saysAll() {
        let event = ShopEdited(shop: Sample.shop, contact: .sealed(Sealed([4])), images: [])
        open.when(edit("Tea", ResealedContact(contact: Sealed([4]), basis: version)), by: Sample.owner).then(.shopEdited(event))
    }

    @Test("An edit that leaves the contact data as it is keeps its sealed bytes")
    func keeps() {
        let event = ShopEdited(shop: Sample.shop, contact: .sealed(Self.sealed), images: [ImageID(1)])
        open.when(edit(nil, images: [ImageID(1)], nil), by: Sample.owner).then(.shopEdited(event))
        open.when(edit("Tea", ResealedContact(contact: nil, basis: version)), by: Sample.owner).then()
    }

    @Test("Sealed contact data has a bound in bytes")
    func bound() {
        let much = Sealed(Array(repeating: 1, count: Limits.sealedContactBytes.upperBound + 1))
        open.when(edit("Tea", ResealedContact(contact: much, basis: version)), by: Sample.owner).thenInvalid("name")
    }

    @Test("A sealed reason has a bound in bytes")
    func reasonBound() {
        let much = TypedText.sealed(Sealed(Array(repeating: 1, count: Limits.sealedReasonBytes.upperBound + 1)))
        open.when(Sample.suspend(reason: much), by: Sample.customer).thenInvalid("reason")
        open.when(Sample.suspend(reason: .sealed(Self.sealed)), by: Sample.customer).thenAccepted()
    }
}
