/// The pictures that shops and campaigns show, folded from the log: those of the newest edits, except pictures that were taken down
/// afterwards, and pictures of erased owners. The data folder has a file for each of them.
///
/// Pictures of profiles are not included, because their ids are sealed.
public struct ShownPictures: Sendable {
    private enum Place: Hashable {
        case shop(ShopID)
        case campaign(CampaignID)
    }

    private struct Listed {
        let image: ImageID
        /// The position of the first of the successive edits that list the picture. An edit that only repeats a picture does not show it
        /// again after it was taken down.
        let since: UInt64
    }

    private var listed: [Place: [Listed]] = [:]
    private var campaigns: [ShopID: [CampaignID]] = [:]
    /// The position at which each picture was last taken down; the maximum for a picture that is forbidden for ever.
    private var takenDown: [ImageID: UInt64] = [:]

    public init() {}

    /// The pictures as of the last event.
    public var images: Set<ImageID> {
        Set(listed.values.joined().filter { $0.since > takenDown[$0.image] ?? 0 }.map(\.image))
    }

    /// Adds the next event of the log.
    public mutating func apply(_ fact: Fact) {
        switch fact.event {
        case .shopOpened(let event): list(event.images, in: .shop(event.shop), fact)
        case .shopEdited(let event): list(event.images, in: .shop(event.shop), fact)
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
