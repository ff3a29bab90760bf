/// The pictures that shops and campaigns show, folded from the log. The data folder has a file for each. Profiles' pictures are not
/// included, because their ids are sealed.
public struct ShownPictures: Sendable {
    private enum Place: Hashable {
        case shop(ShopID)
        case campaign(CampaignID)
    }

    private struct Listed {
        let image: ImageID
        /// An edit that only repeats a picture does not undo its take-down.
        let since: UInt64
    }

    private var listed: [Place: [Listed]] = [:]
    private var campaigns: [ShopID: [CampaignID]] = [:]
    /// The maximum if forbidden for ever.
    private var takenDown: [ImageID: UInt64] = [:]

    public init() {}

    public var images: Set<ImageID> { Set(listed.values.joined().filter { $0.since > takenDown[$0.image] ?? 0 }.map(\.image)) }

    public mutating func apply(_ fact: Fact) {
        switch fact.event {
        case .shopOpened(let event): list(event.images, in: .shop(event.shop), fact)
        case .shopEdited(let event): list(event.pictures, in: .shop(event.shop), fact)
        case .campaignPublished(let event):
            campaigns[event.shop, default: []].append(event.campaign)
            list([event.terms.image].compactMap(\.self), in: .campaign(event.campaign), fact)
        case .campaignEdited(let event): list([event.terms.image].compactMap(\.self), in: .campaign(event.campaign), fact)
        case .shopClosed(let event) where event.erasesContact:
            listed[.shop(event.shop)] = nil
            for campaign in campaigns.removeValue(forKey: event.shop) ?? [] { listed[.campaign(campaign)] = nil }
        case .imageTakenDown(let event):
            if takenDown[event.image] != .max { takenDown[event.image] = event.byOperator ? .max : fact.position }
        default: break
        }
    }

    private mutating func list(_ images: [ImageID], in place: Place, _ fact: Fact) {
        let before = listed[place] ?? []
        let now = images.map { image in before.first { $0.image == image } ?? Listed(image: image, since: fact.position) }
        listed[place] = now.isEmpty ? nil : now
    }
}
