internal import EventLog
internal import GRDB
internal import Loyalty
internal import LoyaltyCodec
internal import Projections
internal import ReadModels

/// A new event needs a case here and a type in ``Discovery/eventTypes``.
extension Database {
    /// Applies one event, without validation, because the log contains only accepted events.
    ///
    /// - Throws: ``ReadModelError/Code/eventRefused`` for an unknown item; errors of SQLite.
    func apply(_ fact: Fact) throws {
        switch fact.event {
        case .shopOpened(let event): try apply(event, fact)
        case .campaignPublished(let event): try apply(event, at: fact.position)
        case .shopEdited(let event): try apply(event, fact)
        case .shopSuspended(let event): try hide(try number(of: event.shop, at: fact.position), true)
        case .shopReinstated(let event): try hide(try number(of: event.shop, at: fact.position), false)
        case .shopClosed(let event): try close(try number(of: event.shop, at: fact.position), erasing: event.erasesContact)
        case .shopTransferred(let event): try give(try number(of: event.shop, at: fact.position), to: event.account)
        case .campaignEdited(let event): try apply(event, at: fact.position)
        case .campaignEnded(let event): try end(try number(of: event.campaign, at: fact.position), at: fact.time)
        case .campaignReopened(let event): try reopen(try number(of: event.campaign, at: fact.position), until: event.endsAt)
        case .favoriteAdded(let event): try apply(event, at: fact.position)
        case .favoriteRemoved(let event): try apply(event, at: fact.position)
        case .accountErased(let event): try apply(event, at: fact.position)
        case .reviewPosted(let event): try apply(event, at: fact.position)
        case .reviewRemoved(let event): try unrate(event.review, at: fact.position)
        default: break
        }
    }

    private func apply(_ event: ShopOpened, _ fact: Fact) throws {
        let n = Int64(bitPattern: fact.position)
        try run(
            "INSERT INTO shops (n, id, owner, name, address, rank) VALUES (?, ?, ?, '', '', ?)",
            [n, event.shop.value.blob, event.owner.value.blob, ShopRank.unrated(shop: n)])
        try run("INSERT INTO shop_words (rowid, words) VALUES (?, '')", [n])
        try put(event.schedule, of: n)
        try put(event.contact, of: n, fact)
    }

    private func apply(_ event: ShopEdited, _ fact: Fact) throws {
        let shop = try number(of: event.shop, at: fact.position)
        try put(event.schedule, of: shop)
        try put(event.contact, of: shop, fact)
    }

    private func put(_ schedule: ShopSchedule, of shop: Int64) throws {
        try run("UPDATE shops SET zone = ?, hours = ? WHERE n = ?", [schedule.timeZone, HoursColumn.data(schedule.openingHours), shop])
    }

    private func apply(_ event: ReviewPosted, at position: UInt64) throws {
        guard let stars = event.rating else { return }
        try rate(event, stars, of: try number(of: event.shop, at: position), at: position)
    }

    private func apply(_ event: CampaignEdited, at position: UInt64) throws {
        let n = try number(of: event.campaign, at: position)
        try rewrite(n, event.terms.texts, from: event.terms.startsAt, to: event.terms.endsAt)
        try share(n, with: event.terms.options.shops)
    }

    private func apply(_ event: CampaignPublished, at position: UInt64) throws {
        let n = Int64(bitPattern: position)
        let shop = try number(of: event.shop, at: position)
        try run(
            """
            INSERT INTO campaigns (n, id, shop, kind, title, details, reward, starts, ends) VALUES (?, ?, ?, ?, '', '', '', ?, ?)
            """,
            [
                n, event.campaign.value.blob, shop, event.kind.number, event.terms.startsAt.microseconds, event.terms.endsAt.microseconds,
            ])
        try run("UPDATE shops SET published = 1 WHERE n = ? AND published = 0", [shop])
        try put(event.terms.texts, of: n)
        try share(n, with: event.terms.options.shops)
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

    private func apply(_ event: AccountErased, at position: UInt64) throws {
        let account = event.account.value.blob
        let campaigns = try Int64.fetchAll(cachedStatement(sql: "SELECT campaign FROM favorites WHERE account = ?"), arguments: [account])
        try run("DELETE FROM favorites WHERE account = ?", [account])
        for campaign in campaigns { try count(-1, of: campaign, at: Int64(bitPattern: position)) }
    }

    private func count(_ delta: Int, of campaign: Int64, at n: Int64) throws {
        try run("UPDATE campaigns SET favorites = favorites + ? WHERE n = ?", [delta, campaign])
        try run("INSERT INTO changes (n, campaign, delta) VALUES (?, ?, ?)", [n, campaign, delta])
    }
}

extension Database {
    func run(_ sql: String, _ arguments: StatementArguments) throws { try cachedStatement(sql: sql).execute(arguments: arguments) }

    func put(_ location: Coordinate, of shop: Int64, at position: UInt64) throws {
        let n = Int64(bitPattern: position)
        try run("UPDATE places SET until = ? WHERE shop = ? AND until IS NULL", [n, shop])
        try run("INSERT INTO places (n, shop, latitude, longitude) VALUES (?, ?, ?, ?)", [n, shop, location.latitude, location.longitude])
        try run("INSERT INTO boxes (n, west, east, south, north) VALUES (?1, ?2, ?2, ?3, ?3)", [n, location.longitude, location.latitude])
        try forgetPlaces(of: shop)
    }

    /// Keeps only the newest places, because every search nearby reads each.
    private func forgetPlaces(of shop: Int64) throws {
        let old = try Int64.fetchAll(
            cachedStatement(sql: "SELECT n FROM places WHERE shop = ? ORDER BY n DESC LIMIT -1 OFFSET ?"),
            arguments: [shop, SearchLimits.placesPerShop])
        for n in old {
            try run("DELETE FROM boxes WHERE n = ?", [n])
            try run("DELETE FROM places WHERE n = ?", [n])
        }
    }

    func location(of shop: Int64) throws -> Coordinate? {
        let row = try Row.fetchOne(self, sql: "SELECT latitude, longitude FROM places WHERE shop = ? AND until IS NULL", arguments: [shop])
        return try row.map { try Coordinate($0, at: 0) }
    }

    func words(of shop: Int64) throws -> [String] {
        let row = try Row.fetchOne(self, sql: "SELECT name, address FROM shops WHERE n = ?", arguments: [shop])
        return try row.map { [try $0.decode(atIndex: 0), try $0.decode(atIndex: 1)] } ?? []
    }

    /// Stores a shop's name and address, and indexes by them its campaigns that end after `time`; all if nil, to erase words. Re-indexing a
    /// thousand ended campaigns would delay other changes. Returns how many were indexed.
    @discardableResult
    func rename(_ shop: Int64, name: String, address: String, ofCampaignsEndingAfter time: Instant?) throws -> Int {
        try run("UPDATE shops SET name = ?, address = ? WHERE n = ?", [name, address, shop])
        try run("UPDATE shop_words SET words = ? WHERE rowid = ?", [SearchWords.document(name, address), shop])
        let campaigns =
            if let time {
                try Int64.fetchAll(
                    cachedStatement(sql: "SELECT n FROM campaigns INDEXED BY campaigns_of WHERE shop = ? AND ends > ?"),
                    arguments: [shop, time.microseconds])
            } else {
                try Int64.fetchAll(self, sql: "SELECT n FROM campaigns WHERE shop = ?", arguments: [shop])
            }
        for campaign in campaigns { try index(campaign: campaign) }
        return campaigns.count
    }

    func hide(_ shop: Int64, _ isHidden: Bool) throws {
        try run("UPDATE shops SET hidden = ? WHERE n = ? AND closed = 0", [isHidden, shop])
    }

    func give(_ shop: Int64, to owner: AccountID) throws {
        try run("UPDATE shops SET owner = ? WHERE n = ?", [owner.value.blob, shop])
    }

    func share(_ campaign: Int64, with shops: [ShopID]) throws {
        try run("DELETE FROM shared WHERE campaign = ?", [campaign])
        for shop in shops {
            try run("INSERT OR IGNORE INTO shared (shop, campaign) SELECT n, ? FROM shops WHERE id = ?", [campaign, shop.value.blob])
        }
        try run("UPDATE campaigns SET branches = (SELECT count(*) FROM shared WHERE campaign = ?1) WHERE n = ?1", [campaign])
    }

    func index(campaign n: Int64) throws {
        let row = try Row.fetchOne(
            self,
            sql: """
                SELECT title, reward, details, name, address FROM campaigns JOIN shops ON shops.n = campaigns.shop WHERE campaigns.n = ?
                """, arguments: [n])
        guard let row else { return }
        let texts = try (0..<5).map { try row.decode(String.self, atIndex: $0) }
        try run("DELETE FROM campaign_words WHERE rowid = ?", [n])
        try run(
            "INSERT INTO campaign_words (rowid, words) VALUES (?, ?)",
            [n, SearchWords.document(texts[0], texts[1], texts[2], texts[3], texts[4])])
    }

    func end(_ campaign: Int64, at time: Instant) throws {
        try run("UPDATE campaigns SET ended = 1, ends = min(ends, ?) WHERE n = ?", [time.microseconds, campaign])
    }

    func reopen(_ campaign: Int64, until end: Instant) throws {
        try run("UPDATE campaigns SET ended = 0, ends = ? WHERE n = ?", [end.microseconds, campaign])
        try index(campaign: campaign)
    }

    func number(of shop: ShopID, at position: UInt64) throws -> Int64 {
        try number("SELECT n FROM shops WHERE id = ?", shop, at: position)
    }

    func number(of campaign: CampaignID, at position: UInt64) throws -> Int64 {
        try number("SELECT n FROM campaigns WHERE id = ?", campaign, at: position)
    }

    private func number<Noun: Identified>(_ sql: String, _ id: ID<Noun>, at position: UInt64) throws -> Int64 {
        let n = try Int64.fetchOne(cachedStatement(sql: sql), arguments: [id.value.blob])
        if let n { return n }
        throw ReadModelError(.eventRefused, model: Discovery.name, position: Position(position), "\(id.text) was never made")
    }
}

extension CampaignKind {
    var number: Int {
        switch self {
        case .stampCard: 1
        case .promotion: 2
        case .coupon: 3
        }
    }
}
