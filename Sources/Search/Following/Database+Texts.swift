internal import Foundation
internal import GRDB
internal import Loyalty
internal import LoyaltyCodec

/// Campaigns' texts in the rows. Sealed ones wait for a key, as contact data does.
extension Database {
    /// What a campaign says from now on, and what it is found by.
    func rewrite(_ campaign: Int64, _ texts: CampaignTexts, from startsAt: Instant, to endsAt: Instant) throws {
        try run("UPDATE campaigns SET starts = ?, ends = ? WHERE n = ?", [startsAt.microseconds, endsAt.microseconds, campaign])
        try put(texts, of: campaign)
    }

    /// Takes over a campaign's texts as an event has them.
    func put(_ texts: CampaignTexts, of campaign: Int64) throws {
        try run("DELETE FROM unopened_texts WHERE campaign = ?", [campaign])
        let clear = [texts.title, texts.details, texts.reward].compactMap(\.open)
        guard clear.count < 3 else {
            try run("UPDATE campaigns SET sealed = 0 WHERE n = ?", [campaign])
            return try put(clear, of: campaign)
        }
        try run("UPDATE campaigns SET sealed = 1 WHERE n = ?", [campaign])
        try run(
            "INSERT INTO unopened_texts (campaign, title, details, reward) VALUES (?, ?, ?, ?)",
            [campaign, texts.title.databaseValue, texts.details.databaseValue, texts.reward.databaseValue])
        try put(["", "", ""], of: campaign)
    }

    /// Opens what waits; what does not open any more says nothing.
    func openTexts(_ findKey: Discovery.KeyFinder) throws {
        let rows = try Row.fetchAll(
            self,
            sql: """
                SELECT t.campaign, s.id, t.title, t.details, t.reward
                FROM unopened_texts t JOIN campaigns c ON c.n = t.campaign JOIN shops s ON s.n = c.shop ORDER BY t.campaign
                """)
        for row in rows {
            let (campaign, id): (Int64, Data) = (row[0], row[1])
            let shop = ShopID(UInt128(blob: id))
            let key = try findKey(shop)
            let fields: [SealedField] = [.campaignTitle, .campaignDetails, .campaignReward]
            let texts = fields.indices.map { place in
                switch TypedText(row[place + 2] as DatabaseValue) {
                case .clear(let text): text
                case .sealed(let sealed): key.flatMap { Sealing.open(sealed, field: fields[place], of: shop.keyHolder, under: $0) } ?? ""
                }
            }
            try put(texts, of: campaign)
            try run("DELETE FROM unopened_texts WHERE campaign = ?", [campaign])
        }
    }

    /// Leaves nothing of what a shop's campaigns said. What they are found by is for the caller to write anew.
    func eraseTexts(of shop: Int64) throws {
        try run("DELETE FROM unopened_texts WHERE campaign IN (SELECT n FROM campaigns WHERE shop = ?)", [shop])
        try run("UPDATE campaigns SET title = '', details = '', reward = '', sealed = 1 WHERE shop = ?", [shop])
    }

    /// - Parameter texts: title, details and reward.
    private func put(_ texts: [String], of campaign: Int64) throws {
        try run("UPDATE campaigns SET title = ?, details = ?, reward = ? WHERE n = ?", [texts[0], texts[1], texts[2], campaign])
        try index(campaign: campaign)
    }
}

extension TypedText {
    /// Text in the clear is a text of SQLite, a sealed one a blob.
    fileprivate var databaseValue: DatabaseValue {
        switch self {
        case .clear(let text): text.databaseValue
        case .sealed(let sealed): Data(sealed.bytes).databaseValue
        }
    }

    fileprivate init(_ value: DatabaseValue) {
        if let sealed = Data.fromDatabaseValue(value), case .blob = value.storage {
            self = .sealed(Sealed(Array(sealed)))
        } else {
            self = .clear(String.fromDatabaseValue(value) ?? "")
        }
    }
}
