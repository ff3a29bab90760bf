import Foundation
import Loyalty
import LoyaltyCodec
import Seeds
import Testing

struct FactTextTests {
    private func fact(_ event: LoyaltyEvent) -> Fact {
        Fact(position: 12, time: Sample.time, actor: AccountID(0), event: event)
    }

    @Test("A stamp is printed on one line with its position, time, type, fields and actor")
    func aStampOnALine() {
        let stamp = CardStamped(card: .init(5), code: .init(4), campaign: .init(3), shop: .init(2), holder: .init(1), stamps: 1)
        let expected = [
            "12 2026-11-21T09:00:00.123Z CardStamped card=card_00000000000000000000000005 code=code_00000000000000000000000004",
            "campaign=camp_00000000000000000000000003 shop=shop_00000000000000000000000002",
            "holder=acct_00000000000000000000000001 stamps=1 by=acct_00000000000000000000000000",
        ]
        #expect(FactText.line(fact(.cardStamped(stamp))) == expected.joined(separator: " "))
    }

    @Test("A correction's line has the signed stamps and the escaped reason")
    func corrections() {
        let adjusted = CardAdjusted(card: .init(5), campaign: .init(3), shop: .init(2), holder: .init(1), stamps: -3, reason: "Twice\n")
        let line = FactText.line(fact(.cardAdjusted(adjusted)))
        #expect(line.contains(" CardAdjusted card=card_00000000000000000000000005 "))
        #expect(line.hasSuffix(#" stamps=-3 reason="Twice\n" by=acct_00000000000000000000000000"#))
        let hired = FactText.line(fact(.staffAdded(.init(shop: .init(2), account: .init(1)))))
        #expect(hired.contains(" StaffAdded shop=shop_00000000000000000000000002 account=acct_00000000000000000000000001 by="))
    }

    @Test("Images are printed as a list in their order")
    func imageOrder() {
        let images = [ImageID(9), ImageID(4)]
        let place = Coordinate(latitude: 0, longitude: 0)
        let edited = fact(.shopEdited(.init(shop: .init(2), name: "", phone: "", address: "", location: place, images: images)))
        #expect(FactText.line(edited).contains("images=img_00000000000000000000000009,img_00000000000000000000000004 by="))
        #expect(FactText.json(edited).contains(#""images":["img_00000000000000000000000009","img_00000000000000000000000004"]"#))
    }

    @Test("A shop's looks are printed if it has any")
    func looks() {
        let place = Coordinate(latitude: 1, longitude: 2)
        let contact = HeldContact.clear(ShopContact(name: "", phone: "", address: "", location: place))
        func line(_ look: ShopLook) -> String {
            FactText.line(fact(.shopEdited(.init(shop: .init(2), contact: contact, images: [], look: look))))
        }
        #expect(line(ShopLook(color: .teal, logo: ImageID(4))).contains("color=teal logo=img_00000000000000000000000004 by="))
        #expect(!line(.plain).contains("color") && !line(.plain).contains("logo"))
    }

    @Test("A sealed field is printed without its bytes, which only JSON has")
    func sealedFields() {
        let registered = AccountRegistered(account: .init(1), phone: Secret(0xAB), sealedPhone: Sealed([1, 2, 3, 4]))
        let line = FactText.line(fact(.accountRegistered(registered)))
        #expect(line.contains("phone=000000000000000000000000000000ab sealedPhone=sealed by="))
        let json = FactText.json(fact(.accountRegistered(registered)))
        #expect(json.hasSuffix(#""sealed":{"sealedPhone":"AQIDBA=="}}"#))
    }

    @Test("Quotes, line breaks and control characters in a text are escaped, so that it cannot forge a line")
    func noForgery() {
        let name = "Tea\" by=acct_0\n13 x \u{202E}evil\u{2028}\u{1B}[2J\u{7}"
        let shop = ShopOpened(
            shop: .init(2), owner: .init(1), name: name, phone: "", address: "", location: Coordinate(latitude: 0, longitude: 0))
        let line = FactText.line(fact(.shopOpened(shop)))
        #expect(line.contains(#"name="Tea\" by=acct_0\n13 x \u202eevil\u2028\u001b[2J\u0007""#))
        #expect(!line.contains { $0.isNewline })
    }

    @Test("The JSON of a random fact is valid, on one line, and has the fact's position, time, actor and type")
    func validJSON() throws {
        var events = RandomEvents(random: SeededRandom(seed: Seed.value &+ 11))
        for round in 0..<500 {
            let fact = fact(events.event(ofCase: round % RandomEvents.caseCount))
            let json = FactText.json(fact)
            let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
            #expect(object["position"] as? Int == 12)
            #expect(object["time"] as? String == "2026-11-21T09:00:00.123Z")
            #expect(object["actor"] as? String == fact.actor.text)
            #expect(FactText.line(fact).contains(" \(try #require(object["type"] as? String)) "))
            #expect(!json.contains { $0.isNewline })
            try expectSame(fact.event, object)
        }
    }

    private func expectSame(_ event: LoyaltyEvent, _ object: [String: Any]) throws {
        let fields = try #require(object["event"] as? [String: Any])
        let sealed = object["sealed"] as? [String: String]
        switch event {
        case .shopOpened(let shop):
            #expect(fields["name"] as? String == shop.contact.open?.name)
            #expect((sealed?["contact"] == nil) == (shop.contact.open != nil))
            guard let place = shop.contact.open?.location else { return }
            // JSONSerialization sometimes reads the last digit wrong, so the comparison has a tolerance.
            #expect(abs(try #require(fields["latitude"] as? Double) - place.latitude) < 1e-12)
        case .campaignPublished(let campaign):
            #expect(fields["details"] as? String == campaign.terms.details.open)
            #expect(fields["goal"] as? Int == campaign.terms.goal)
        case .reviewPosted(let review):
            #expect(sealed?["text"].flatMap { Data(base64Encoded: $0) }.map(Array.init) == review.text?.bytes)
            #expect(fields["rating"] as? Int == review.rating)
        case .codeIssued(let code):
            #expect(fields["code"] as? String == code.code.text)
            #expect(fields["stamps"] as? Int == code.stamps)
        default:
            break
        }
    }

    @Test("Numbers that JSON cannot express are null")
    func nullNumbers() {
        let shop = ShopOpened(
            shop: .init(2), owner: .init(1), name: "", phone: "", address: "",
            location: Coordinate(latitude: .nan, longitude: -.infinity))
        #expect(FactText.json(fact(.shopOpened(shop))).contains(#""latitude":null,"longitude":null"#))
    }
}
