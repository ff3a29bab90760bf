import Loyalty
import Testing

/// The pictures that shops and campaigns show, folded from events.
@Suite struct ShownPicturesTests {
    private static let (one, two, three) = (ImageID(1), ImageID(2), ImageID(3))

    private func shown(after events: LoyaltyEvent...) -> Set<ImageID> {
        var pictures = ShownPictures()
        for (number, event) in events.enumerated() {
            pictures.apply(Fact(position: UInt64(number) + 1, time: Sample.start, actor: Sample.owner, event: event))
        }
        return pictures.images
    }

    private func edited(_ images: ImageID..., shop: ShopID = ShopID(1)) -> LoyaltyEvent {
        let place = Coordinate(latitude: 1, longitude: 1)
        return .shopEdited(ShopEdited(shop: shop, name: "茶", phone: "1", address: "1", location: place, images: images))
    }

    private func takenDown(_ image: ImageID, byOperator: Bool = false) -> LoyaltyEvent {
        .imageTakenDown(ImageTakenDown(image: image, byOperator: byOperator))
    }

    @Test("The newest edit decides, shop by shop")
    func edits() {
        #expect(shown(after: edited(Self.one, Self.two), edited(Self.two)) == [Self.two])
        #expect(shown(after: edited(Self.one), edited(Self.two, shop: ShopID(2)), edited()) == [Self.two])
    }

    @Test("A logo is shown, also beside the same picture among the images")
    func logos() {
        func look(_ images: [ImageID], _ logo: ImageID?) -> LoyaltyEvent {
            Sample.shopEdited(ShopID(1), images: images, look: ShopLook(logo: logo))
        }
        #expect(shown(after: look([Self.one], Self.two)) == [Self.one, Self.two])
        #expect(shown(after: look([Self.one], Self.one), look([], Self.one)) == [Self.one])
        #expect(shown(after: look([Self.one], Self.two), look([Self.one], nil)) == [Self.one])
        #expect(shown(after: look([], Self.one), takenDown(Self.one), look([], Self.one)) == [])
    }

    @Test("A picture that was taken down is shown only if it is listed anew, and never again if an operator took it down")
    func takenDown() {
        #expect(shown(after: edited(Self.one, Self.two), takenDown(Self.one)) == [Self.two])
        #expect(shown(after: edited(Self.one), takenDown(Self.one), edited(Self.one, Self.three)) == [Self.three])
        #expect(shown(after: edited(Self.one), takenDown(Self.one), edited(), edited(Self.one)) == [Self.one])
        #expect(shown(after: edited(Self.one), takenDown(Self.one, byOperator: true), edited(), edited(Self.one)) == [])
        let forbidden = takenDown(Self.one, byOperator: true)
        #expect(shown(after: edited(Self.one), forbidden, takenDown(Self.one), edited(), edited(Self.one)) == [])
    }

    @Test("A shop shows nothing after its owner's erasure, and still shows its pictures after it only closed")
    func closed() {
        func closed(_ erases: Bool) -> LoyaltyEvent {
            .shopClosed(ShopClosed(shop: ShopID(1), redeemUntil: Sample.start, erasesContact: erases))
        }
        #expect(shown(after: edited(Self.one), closed(false)) == [Self.one])
        #expect(shown(after: edited(Self.one), closed(false), closed(true)) == [])
    }
}
