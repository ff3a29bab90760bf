import Loyalty
import Testing
import World

/// Only the owner edits a shop, and an edit never silently overwrites another one.
@Suite struct EditShopTests {
    private let version = Scenario.running.world.shops[Sample.shop]?.version ?? 0
    private let pictures = [ImageID(7), ImageID(3)]

    @Test("An edit of a shop changes the fields that it names and keeps the others")
    func namedFields() {
        let edited = Scenario.running.when(Sample.edit(name: "茶"), by: Sample.owner).then(Sample.shopEdited(name: "茶"))
        let shop = edited.world.shops[Sample.shop]
        #expect(shop?.name == "茶" && shop?.phone == "+86 21 5555" && shop?.staff == [Sample.staff])
    }

    @Test("A shop's images keep the order in which they were given, and can be removed")
    func imagesKeepTheirOrder() {
        let edited = Scenario.running.when(Sample.edit(images: pictures), by: Sample.owner).then(Sample.shopEdited(images: pictures))
        #expect(edited.world.shops[Sample.shop]?.images == pictures)
        edited.when(Sample.edit(images: []), by: Sample.owner).then(Sample.shopEdited())
        Scenario.registered.when(Sample.open(images: pictures), by: Sample.owner).thenAccepted()
    }

    @Test("Staff, customers and other owners cannot edit a shop, and an unknown shop is not found")
    func onlyTheOwnerEdits() {
        Scenario.running.when(Sample.edit(name: "茶"), by: Sample.staff).thenRejected(.roleRequired)
        for actor in [Sample.customer, Sample.rival] {
            Scenario.running.when(Sample.edit(name: "茶"), by: actor).thenRejected(.forbidden)
        }
        Scenario.running.when(Sample.edit(name: "茶"), by: Sample.ghost).thenRejected(.notFound)
        Scenario.running.when(Sample.edit(ShopID(19), name: "茶"), by: Sample.owner).thenRejected(.notFound)
    }

    @Test("An edit that expects an older version of the shop is rejected")
    func olderVersion() {
        let seen = ExpectedVersion(oneOf: [version])
        let edited = Scenario.running.when(Sample.edit(expected: seen, name: "茶"), by: Sample.owner).then(Sample.shopEdited(name: "茶"))
        edited.when(Sample.edit(expected: seen, name: "Tea"), by: Sample.owner).thenRejected(.versionConflict)
        let newer = edited.world.shops[Sample.shop]?.version ?? 0
        #expect(newer > version)
        edited.when(Sample.edit(expected: ExpectedVersion(oneOf: [1, newer]), name: "Tea"), by: Sample.owner).thenAccepted()
        edited.when(Sample.edit(expected: ExpectedVersion(oneOf: []), name: "Tea"), by: Sample.owner).thenRejected(.versionConflict)
    }

    @Test("Employments, suspensions and codes leave the version of a shop as it is")
    func unseenChanges() {
        let other = Scenario.running.given(Sample.hired(Sample.stranger), Sample.suspended(), Sample.reinstated(), Sample.issued())
        #expect(other.world.shops[Sample.shop]?.version == version)
    }

    @Test("An edit that changes nothing records nothing")
    func noChange() {
        Scenario.running.when(Sample.edit(), by: Sample.owner).thenNothing()
        Scenario.running.when(Sample.edit(name: "绿茶 GreenTea", images: []), by: Sample.owner).thenNothing()
    }

    @Test("The owner chooses a color and a logo, an edit of other fields keeps them, and each can be removed")
    func looks() {
        let look = ShopLook(color: .teal, logo: ImageID(7))
        let chosen = Scenario.running.when(Sample.edit(color: .set(.teal), logo: .set(ImageID(7))), by: Sample.owner)
            .then(Sample.shopEdited(look: look))
        #expect(chosen.world.shops[Sample.shop]?.look == look)
        chosen.when(Sample.edit(color: .set(.teal)), by: Sample.owner).thenNothing()
        let named = chosen.when(Sample.edit(name: "茶"), by: Sample.owner).then(Sample.shopEdited(name: "茶", look: look))
        let plain = named.when(Sample.edit(color: .removed), by: Sample.owner)
            .then(Sample.shopEdited(name: "茶", look: ShopLook(logo: ImageID(7))))
        #expect(plain.world.shops[Sample.shop]?.look.color == nil)
        chosen.when(Sample.edit(color: .set(.red)), by: Sample.staff).thenRejected(.roleRequired)
    }

    @Test("The erasure of the owner takes the shop's looks away")
    func erasedLooks() {
        let closed = LoyaltyEvent.shopClosed(ShopClosed(shop: Sample.shop, redeemUntil: Sample.start, erasesContact: true))
        let gone = Scenario.running.given(Sample.shopEdited(look: ShopLook(color: .red, logo: ImageID(7))), closed)
        #expect(gone.world.shops[Sample.shop]?.look == .plain)
    }

    @Test("All invalid fields of an edit are named, and a shop has at most nine images")
    func everyBadFieldIsNamed() {
        let nowhere = Coordinate(latitude: 91, longitude: 0)
        Scenario.running.when(
            Sample.edit(name: "", phone: "x", address: "\n", location: nowhere, images: [ImageID(1), ImageID(1)]), by: Sample.owner
        ).thenInvalid("name", "phone", "address", "location", "images")
        let ten = (1...10).map { ImageID(UInt128($0)) }
        Scenario.running.when(Sample.edit(images: ten), by: Sample.owner).thenInvalid("images")
        Scenario.running.when(Sample.edit(images: Array(ten.prefix(9))), by: Sample.owner).thenAccepted()
    }
}
