internal import GRDB
internal import Loyalty
internal import ReadModels

/// What each event means for the rows. A new event is a case here and a type in ``Discovery/eventTypes``.
extension Database {
    /// Applies one event. It judges nothing: what the log says happened, happened.
    ///
    /// - Throws: ``ReadModelError/Code/eventRefused`` for an event about a thing that no earlier event made; what SQLite throws.
    func apply(_ fact: Fact) throws {
        switch fact.event {
        case .shopOpened(let event): try apply(event, fact)
        case .campaignPublished(let event): try apply(event, at: fact.position)
        case .shopEdited(let event): try apply(event, fact)
        case .shopSuspended(let event): try hide(try number(of: event.shop, at: fact.position), true)
        case .shopReinstated(let event): try hide(try number(of: event.shop, at: fact.position), false)
        case .shopClosed(let event): try close(try number(of: event.shop, at: fact.position), erasing: event.erasesContact)
        case .campaignEdited(let event): try apply(event, at: fact.position)
        case .campaignEnded(let event): try end(try number(of: event.campaign, at: fact.position), at: fact.time)
        case .favoriteAdded(let event): try apply(event, at: fact.position)
        case .favoriteRemoved(let event): try apply(event, at: fact.position)
        default: break
        }
    }

    private func apply(_ event: ShopOpened, _ fact: Fact) throws {
        let n = Int64(bitPattern: fact.position)
        try run("INSERT INTO shops (n, id, name, address) VALUES (?, ?, '', '')", [n, event.shop.value.blob])
        try run("INSERT INTO shop_words (rowid, words) VALUES (?, '')", [n])
        try put(event.contact, of: n, fact)
    }

    private func apply(_ event: ShopEdited, _ fact: Fact) throws {
        try put(event.contact, of: try number(of: event.shop, at: fact.position), fact)
    }

    private func apply(_ event: CampaignEdited, at position: UInt64) throws {
        try rewrite(
            try number(of: event.campaign, at: position),
            CampaignTexts(title: event.title, details: event.details, reward: event.reward), from: event.startsAt, to: event.endsAt)
    }

    private func apply(_ event: CampaignPublished, at position: UInt64) throws {
        let n = Int64(bitPattern: position)
        let shop = try number(of: event.shop, at: position)
        try run(
            """
            INSERT INTO campaigns (n, id, shop, kind, title, details, reward, starts, ends) VALUES (?, ?, ?, ?, '', '', '', ?, ?)
            """,
            [
                n, event.campaign.value.blob, shop, event.kind.number, event.startsAt.microseconds, event.endsAt.microseconds,
            ])
        try put(CampaignTexts(title: event.title, details: event.details, reward: event.reward), of: n)
    }

    private func apply(_ event: FavoriteAdded, at position: UInt64) throws {
        let campaign = try number(of: event.campaign, at: position)
        let n = Int64(bitPattern: position)
        try run("INSERT INTO favorites (account, campaign, n) VALUES (?, ?, ?)", [event.account.value.blob, campaign, n])
        try count(1, of: campaign, at: n)
    }

    private func apply(_ event: FavoriteRemoved, at position: UInt64) throws {
        let campaign = try number(of: event.campaign, at: position)
        try run("DELETE FROM favorites WHERE account = ? AND campaign = ?", [event.account.value.blob, campaign])
        try count(-1, of: campaign, at: Int64(bitPattern: position))
    }

    private func count(_ delta: Int, of campaign: Int64, at n: Int64) throws {
        try run("UPDATE campaigns SET favorites = favorites + ? WHERE n = ?", [delta, campaign])
        try run("INSERT INTO changes (n, campaign, delta) VALUES (?, ?, ?)", [n, campaign, delta])
    }
}
