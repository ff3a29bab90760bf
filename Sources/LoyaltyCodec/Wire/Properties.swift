internal import EventLog
public import Loyalty

// The stored and the shown form of properties whose types the generated codecs know by name.

extension Role {
    /// The owner's role is refused, because no event about staff gives it.
    func wireField() throws(CodecError) -> UInt32 {
        guard self < .owner else { throw CodecError(.fieldOutOfRange, "role is owner") }
        return UInt32(rawValue)
    }

    init(wireField: UInt32) throws(CodecError) {
        guard let role = UInt8(exactly: wireField).flatMap({ Role(rawValue: $0) }), role < .owner else {
            throw CodecError(.fieldOutOfRange, "role is \(wireField)")
        }
        self = role
    }
}

extension SessionEnding {
    var name: String {
        switch self {
        case .signedOut: "signedOut"
        case .tokenReused: "tokenReused"
        }
    }

    func wireField() throws(CodecError) -> WireSessionEnded.Ending {
        switch self {
        case .signedOut: .signedOut
        case .tokenReused: .tokenReused
        }
    }

    init(wireField: WireSessionEnded.Ending) throws(CodecError) {
        switch wireField {
        case .signedOut: self = .signedOut
        case .tokenReused: self = .tokenReused
        case .unspecified, .UNRECOGNIZED: throw CodecError(.fieldOutOfRange, "ending is \(wireField.rawValue), not 1 or 2")
        }
    }
}

extension PaperName {
    var tags: [Tag] { [Tag(.print, print.value), Tag(.paper, id.value)] }

    var fields: [FactField] { [FactField("paper", .id(id)), FactField("print", .id(print))] }

    /// The number is the paper card's id minus its print's.
    init(of event: some StoredEvent & ~Escapable) throws(CodecError) {
        let (print, paper): (PrintID, PaperID) = (try event.id(.print), try event.id(.paper))
        self.init(print: print, number: try WireRange.check(Int(clamping: paper.value &- print.value), 0...499, "number"))
    }
}

extension NoticeAudience {
    /// The id of the shop, or 0 for a notice to everybody, so that one look-up by tag finds either. No shop has the id 0.
    public var tagValue: UInt128 { shop?.value ?? 0 }

    var tags: [Tag] { [Tag(.shop, tagValue)] + (campaign.map { [Tag(.campaign, $0.value)] } ?? []) }

    var fields: [FactField] {
        [FactField("audience", shop.map { .id($0) } ?? .symbol("all"))] + (campaign.map { [FactField("holdersOf", .id($0))] } ?? [])
    }

    init(of event: some StoredEvent & ~Escapable) throws(CodecError) {
        let shop: ShopID = try event.id(.shop)
        if let campaign = event.value(of: .campaign) {
            guard shop.value != 0 else { throw CodecError(.wrongTags, "a notice to holders of a campaign's cards has no shop") }
            self = .holders(CampaignID(campaign), of: shop)
        } else {
            self = shop.value == 0 ? .all : .shop(shop)
        }
    }
}
