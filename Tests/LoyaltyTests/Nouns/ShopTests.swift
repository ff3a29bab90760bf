import Loyalty
import Testing
import World

@Suite struct ShopTests {
    @Test("An account opens a shop")
    func opening() {
        Scenario.registered.when(Sample.open(), by: Sample.owner).then(Sample.shopOpened())
    }

    @Test("An account may own a hundred open shops, and a thousand in all")
    func severalShops() {
        Scenario.running.when(Sample.open(ShopID(12)), by: Sample.owner).then(Sample.shopOpened(ShopID(12)))
        let most = Scenario.running.given((1...99).map { Sample.shopOpened(ShopID(UInt128(100 + $0))) })
        most.when(Sample.open(ShopID(12)), by: Sample.owner).thenRejected(.alreadyMerchant)
        most.when(Sample.open(ShopID(12)), by: Sample.rival).thenAccepted()
        let closed = most.given(Sample.closed(redeemUntil: Sample.start, erasesContact: false))
        closed.when(Sample.open(ShopID(12)), by: Sample.owner).thenAccepted()
        let ever = Scenario.running.given(
            (1...999).flatMap { number -> [LoyaltyEvent] in
                let shop = ShopID(UInt128(1_000 + number))
                return [Sample.shopOpened(shop), Sample.closed(shop, redeemUntil: Sample.start, erasesContact: false)]
            })
        ever.when(Sample.open(ShopID(12)), by: Sample.owner).thenRejected(.alreadyMerchant)
    }

    /// The service sends an empty sealed text if the owner is at the limit. A shop that closes before the decision must not let it pass.
    @Test("An empty sealed contact is refused with the reason of the limit of open shops, both at the limit and below it")
    func emptySealedContact() {
        let open = Command.openShop(
            OpenShop(
                shop: ShopID(12), name: "Tea", phone: "+86 21 5555", address: "1 Tea Road", location: Sample.place, sealed: Sealed([])))
        let most = Scenario.running.given((1...99).map { Sample.shopOpened(ShopID(UInt128(100 + $0))) })
        most.when(open, by: Sample.owner).thenRejected(.alreadyMerchant)
        let closed = most.given(Sample.closed(redeemUntil: Sample.start, erasesContact: false))
        closed.when(open, by: Sample.owner).thenRejected(.alreadyMerchant)
    }

    @Test("A person who works at one shop of an owner may be a customer of the owner's other shops")
    func eachShopByItself() throws {
        let two = Scenario.running.when(Sample.open(ShopID(12)), by: Sample.owner).after
        let other = try #require(two.world.shops[ShopID(12)])
        #expect(other.role(of: Sample.owner) == .owner && other.role(of: Sample.staff) == nil)
        #expect(two.world.shops(ownedBy: Sample.owner).map(\.id) == [Sample.shop, ShopID(12)])
        two.when(Sample.review(of: ShopID(12)), by: Sample.owner).thenRejected(.ownShop)
        two.when(Sample.review(of: ShopID(12)), by: Sample.staff).thenAccepted()
    }

    @Test("A repeated opening records nothing")
    func again() {
        Scenario.running.when(Sample.open(), by: Sample.owner).thenNothing()
    }

    @Test("An opening with the id of another account's shop is not found")
    func takenID() {
        Scenario.running.when(Sample.open(Sample.shop), by: Sample.stranger).thenRejected(.notFound)
    }

    @Test("Staff of one shop may open a shop of their own")
    func staffOpen() {
        Scenario.running.when(Sample.open(ShopID(12)), by: Sample.staff).then(Sample.shopOpened(ShopID(12), by: Sample.staff))
    }

    @Test("All invalid fields of an opening are named at once")
    func allFields() {
        Scenario.registered.when(
            Sample.open(name: "", phone: "call me", address: " ", location: Coordinate(latitude: .nan, longitude: 0)), by: Sample.owner
        ).thenInvalid("name", "phone", "address", "location")
    }

    @Test(
        "A shop's name in any script, with emoji or of 100 characters is accepted",
        arguments: ["茶", "Чай ☕️🧋", "مقهى الشاي", "Café Ängel", "👩‍👩‍👧‍👦 Family", String(repeating: "茶", count: 100)])
    func namesOfEveryScript(_ name: String) {
        Scenario.registered.when(Sample.open(name: name), by: Sample.owner).thenAccepted()
    }

    @Test(
        "A shop's name that is invisible, too long, or has control characters or line breaks is rejected",
        arguments: [
            "", " ", "\u{200B}\u{200D}", "\u{3000}", "\u{301}", "tea\u{0}", "tea\n", "tea\tshop", "\u{1B}[31m", "tea\u{7F}", "tea\u{85}",
            "tea\u{2028}", String(repeating: "茶", count: 101), "a" + String(repeating: "\u{301}", count: 100),
        ])
    func badNames(_ name: String) {
        Scenario.registered.when(Sample.open(name: name), by: Sample.owner).thenInvalid("name")
    }

    @Test(
        "A phone number of 3 to 32 characters with the usual punctuation is accepted",
        arguments: ["110", "+86 (21) 5555-0100", String(repeating: "1", count: 32)])
    func goodPhones(_ phone: String) {
        Scenario.registered.when(Sample.open(phone: phone), by: Sample.owner).thenAccepted()
    }

    @Test(
        "A text that is no phone number is rejected",
        arguments: ["", "11", "---", "12 34x", "１２３４", "123\n", "123\u{200B}", String(repeating: "1", count: 33)])
    func phonesThatAreNone(_ phone: String) {
        Scenario.registered.when(Sample.open(phone: phone), by: Sample.owner).thenInvalid("phone")
    }

    @Test("An address has at most 200 characters")
    func anAddressHasABound() {
        Scenario.registered.when(Sample.open(address: String(repeating: "路", count: 200)), by: Sample.owner).thenAccepted()
        Scenario.registered.when(Sample.open(address: String(repeating: "路", count: 201)), by: Sample.owner).thenInvalid("address")
    }

    @Test(
        "A location on the limits of latitude and longitude, or at zero, is accepted", arguments: [(90.0, 180.0), (-90, -180), (0, -0.0)])
    func theCornersOfTheEarth(_ latitude: Double, _ longitude: Double) {
        Scenario.registered.when(
            Sample.open(location: Coordinate(latitude: latitude, longitude: longitude)), by: Sample.owner
        ).thenAccepted()
    }

    @Test(
        "A location beyond the limits of latitude or longitude, or not finite, is rejected",
        arguments: [
            (90.000001, 0.0), (0, 180.000001), (-91, 0), (0, -181), (.nan, 0), (0, .nan), (.infinity, 0), (0, -.infinity),
        ])
    func badLocations(_ latitude: Double, _ longitude: Double) {
        Scenario.registered.when(
            Sample.open(location: Coordinate(latitude: latitude, longitude: longitude)), by: Sample.owner
        ).thenInvalid("location")
    }

    @Test("The owner and staff work at the shop, and nobody else does")
    func workThere() throws {
        let shop = try #require(Scenario.running.world.shops[Sample.shop])
        #expect(shop.employs(Sample.owner) && shop.employs(Sample.staff))
        #expect(!shop.employs(Sample.customer) && !shop.employs(Sample.rival))
        #expect(shop.openedAt == Sample.start)
    }
}
