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
        case .shopOpened(let event): try apply(event, at: fact.position)
        case .campaignPublished(let event): try apply(event, at: fact.position)
        case .shopEdited(let event): try apply(event, fact)
        case .shopSuspended(let event): try hide(try number(of: event.shop, at: fact.position), true)
        case .shopReinstated(let event): try hide(try number(of: event.shop, at: fact.position), false)
        case .campaignEdited(let event): try apply(event, at: fact.position)
        case .campaignEnded(let event): try end(try number(of: event.campaign, at: fact.position), at: fact.time)
        case .favoriteAdded(let event): try apply(event, at: fact.position)
        case .favoriteRemoved(let event): try apply(event, at: fact.position)
        default: break
        }
    }

    private func apply(_ event: ShopOpened, at position: UInt64) throws {
        let n = Int64(bitPattern: position)
        try run("INSERT INTO shops (n, id, name, address) VALUES (?, ?, ?, ?)", [n, event.shop.value.blob, event.name, event.address])
        try run("INSERT INTO shop_words (rowid, words) VALUES (?, ?)", [n, SearchWords.document(event.name, event.address)])
        try put(event.location, of: n, at: position)
    }

    private func apply(_ event: ShopEdited, _ fact: Fact) throws {
        let position = fact.position
        let shop = try number(of: event.shop, at: position)
        // Each of its campaigns is found by these: too much to write for a change of something else.
        if try self.words(of: shop) != [event.name, event.address] {
            try rename(shop, name: event.name, address: event.address, at: fact.time)
        }
        if try self.location(of: shop) != event.location { try put(event.location, of: shop, at: position) }
    }

    private func apply(_ event: CampaignEdited, at position: UInt64) throws {
        try rewrite(
            try number(of: event.campaign, at: position), title: event.title, details: event.details, reward: event.reward,
            from: event.startsAt, to: event.endsAt)
    }

    private func apply(_ event: CampaignPublished, at position: UInt64) throws {
        let n = Int64(bitPattern: position)
        let shop = try number(of: event.shop, at: position)
        try run(
            """
            INSERT INTO campaigns (n, id, shop, kind, title, details, reward, starts, ends) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                n, event.campaign.value.blob, shop, event.kind.number, event.title, event.details, event.reward,
                event.startsAt.microseconds, event.endsAt.microseconds,
            ])
        try index(campaign: n)
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
