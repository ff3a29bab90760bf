internal import Foundation
internal import GRDB
internal import Loyalty
internal import LoyaltyCodec

/// Shops' contact data in the rows.
///
/// The model's digest must depend on the log alone, but sealed data needs keys, which a replay or rebuild lacks. So it waits in rows until
/// the server opens it.
extension Database {
    func put(_ contact: HeldContact, of shop: Int64, _ fact: Fact) throws {
        switch contact {
        case .clear(let contact): try put(contact, of: shop, at: fact.position, fact.time)
        case .sealed(let sealed):
            try run("UPDATE shops SET sealed = 1 WHERE n = ?", [shop])
            try run(
                "INSERT INTO unopened (n, time, shop, contact) VALUES (?, ?, ?, ?)",
                [Int64(bitPattern: fact.position), fact.time.microseconds, shop, Data(sealed.bytes)])
        case .erased: break
        }
    }

    /// Decrypts the waiting contact data and texts, and drops those without a key.
    func openSealed(_ findKey: Discovery.KeyFinder) throws {
        try openContacts(findKey)
        try openTexts(findKey)
    }

    private func openContacts(_ findKey: Discovery.KeyFinder) throws {
        let rows = try Row.fetchAll(
            self, sql: "SELECT u.n, u.time, u.shop, s.id, u.contact FROM unopened u JOIN shops s ON s.n = u.shop ORDER BY u.n")
        for row in rows {
            let numbers = try (0..<3).map { try row.decode(Int64.self, atIndex: $0) }
            let (n, time, shop) = (numbers[0], numbers[1], numbers[2])
            let (id, sealed) = (try row.decode(Data.self, atIndex: 3), try row.decode(Data.self, atIndex: 4))
            let shopID = ShopID(UInt128(blob: id))
            if let key = try findKey(shopID), let contact = Sealing.open(Sealed(Array(sealed)), of: shopID, under: key) {
                try put(contact, of: shop, at: UInt64(bitPattern: n), Instant(microseconds: time))
            }
            try run("DELETE FROM unopened WHERE n = ?", [n])
        }
    }

    /// Permanently removes a shop from every list, and its contact data and texts too if its owner was erased.
    func close(_ shop: Int64, erasing: Bool) throws {
        try run("UPDATE shops SET hidden = 1, closed = 1 WHERE n = ?", [shop])
        guard erasing else { return }
        try run("UPDATE shops SET sealed = 1 WHERE n = ?", [shop])
        try eraseTexts(of: shop)
        try rename(shop, name: "", address: "", ofCampaignsEndingAfter: nil)
        try run("DELETE FROM boxes WHERE n IN (SELECT n FROM places WHERE shop = ?)", [shop])
        try run("DELETE FROM places WHERE shop = ?", [shop])
        try run("DELETE FROM unopened WHERE shop = ?", [shop])
        // A full-text index keeps deleted words until `optimize` merges it. `secure_delete` then zeroes the old pages.
        for table in ["shop_words", "campaign_words"] { try execute(sql: "INSERT INTO \(table) (\(table)) VALUES ('optimize')") }
    }

    private func put(_ contact: ShopContact, of shop: Int64, at position: UInt64, _ time: Instant) throws {
        // The shop's campaigns are indexed by its words too, but only again if these changed.
        let words = try words(of: shop)
        if words != [contact.name, contact.address] {
            // Sealed data may be opened long after the publication, so a first name indexes even ended campaigns.
            let isUnnamed = words == ["", ""]
            try rename(shop, name: contact.name, address: contact.address, ofCampaignsEndingAfter: isUnnamed ? nil : time)
        }
        if try location(of: shop) != contact.location { try put(contact.location, of: shop, at: position) }
    }
}

extension Fact {
    var erasesContact: Bool { if case .shopClosed(let closed) = event { closed.erasesContact } else { false } }
}

extension Database {
    func rewrite(_ campaign: Int64, _ texts: CampaignTexts, from startsAt: Instant, to endsAt: Instant) throws {
        try run("UPDATE campaigns SET starts = ?, ends = ? WHERE n = ?", [startsAt.microseconds, endsAt.microseconds, campaign])
        try put(texts, of: campaign)
    }

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

    func openTexts(_ findKey: Discovery.KeyFinder) throws {
        let rows = try Row.fetchAll(
            self,
            sql: """
                SELECT t.campaign, s.id, t.title, t.details, t.reward
                FROM unopened_texts t JOIN campaigns c ON c.n = t.campaign JOIN shops s ON s.n = c.shop ORDER BY t.campaign
                """)
        for row in rows {
            let (campaign, id) = (try row.decode(Int64.self, atIndex: 0), try row.decode(Data.self, atIndex: 1))
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

    /// Removes all texts of a shop's campaigns, which the caller MUST then index again.
    func eraseTexts(of shop: Int64) throws {
        try run("DELETE FROM unopened_texts WHERE campaign IN (SELECT n FROM campaigns WHERE shop = ?)", [shop])
        try run("UPDATE campaigns SET title = '', details = '', reward = '', sealed = 1 WHERE shop = ?", [shop])
    }

    private func put(_ texts: [String], of campaign: Int64) throws {
        try run("UPDATE campaigns SET title = ?, details = ?, reward = ? WHERE n = ?", [texts[0], texts[1], texts[2], campaign])
        try index(campaign: campaign)
    }
}

extension TypedText {
    /// Unsealed text is stored as text, sealed text as a blob.
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
