import CommandService
import Composition
import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec
import NIOCore
import ReadModels

/// Writes all data about an account for its holder, as of one position. All but the received notices come from the log, so that no read
/// model can leave a thing out. It reads page by page and sends pieces; only the events of present favourites exceed one page in memory.
struct ExportWriting: Sendable {
    let position: Position
    private let id: AccountID
    private let resources: Resources
    /// Held until the document is written, or the client hangs up.
    private let slot: Slot
    private let account: (answer: AccountAnswer, registeredAt: Instant, hasPassword: Bool)
    /// Also closed ones, in the order in which it became their owner.
    private let shops: [(shop: Shop, closingReason: String?)]
    /// Compared with the cards' deadlines.
    private let now: Instant

    init(of id: AccountID, _ resources: Resources, _ slot: Slot) throws {
        let service = resources.service
        (self.id, self.resources, self.slot) = (id, resources, slot)
        (position, now) = (service.log.head, resources.now)
        let answer = try resources.accountAnswer(id, through: position)
        guard let account = try service.reading(through: position, { try $0.account(id) }) else { throw Problem(.unauthenticated) }
        self.account = (answer, account.registeredAt, account.password != nil)
        let past = service.past(through: position)
        shops = try past.shops(ownedBy: id).map { shop in
            let reason: Sealed? = try shop.closing == nil ? nil : past.closingReason(of: shop.id)
            return (try service.opened(shop), try resources.text(reason, as: .reason, of: shop.id.keyHolder))
        }
    }

    /// - Throws: errors of a broken connection, and of reading the log. The answer is then incomplete.
    @concurrent
    func run(_ writer: inout any ResponseBodyWriter) async throws {
        var pieces = Pieces(writer: writer, slot: slot)
        pieces.json.beginObject()
        writeAccount(to: &pieces.json)
        try await array("cards", [.cardOpened, .waitingCardTaken], &pieces) { try writeCard(of: $0, to: &$1) }
        try await array("reviews", [.reviewPosted], &pieces) { try writePost($0, to: &$1) }
        try await array("replies", [.replyPosted], &pieces) { try writePost($0, to: &$1) }
        try await array("feedback", [.feedbackGiven], &pieces) { try resources.feedbackAnswer($0)?.write(to: &$1) }
        try await writeFavorites(to: &pieces)
        try await writeNotices(to: &pieces)
        try await array("sessions", [.sessionStarted], &pieces) { try writeSession($0, to: &$1) }
        // Sealed fields stay sealed, and other accounts' ids are null.
        try await array("events", [], &pieces) { fact, json in
            for fact in try waitingEvents(before: fact) + [fact] { json.value(written: FactText.json(fact, for: id)) }
        }
        try await array("postedNotices", [.noticePosted, .noticeScheduled], &pieces) { try writePosted($0, to: &$1) }
        try await writeCampaigns(to: &pieces)
        try await writeStaffNames(to: &pieces)
        try await array("searches", [.searchSaved], &pieces) { try writeSearch($0, to: &$1) }
        pieces.json.endObject()
        try await pieces.send(atLeast: 0)
        // Given back before the answer ends, so that a client with the whole document can request another.
        slot.giveBack()
        try await writer.finish(nil)
    }

    private func writeAccount(to json: inout JSONWriter) {
        let first = shops.first { $0.shop.closing == nil } ?? shops.first
        let owner = account.answer.publicFields + ["registeredAt": account.registeredAt, "hasPassword": account.hasPassword]
        let fields: JSONFields = [
            "position": position, "account": owner, "shop": first.map(ExportAnswer.fields), "shops": shops.map(ExportAnswer.fields),
        ]
        fields.writeFields(to: &json)
    }

    private func writeCard(of fact: Fact, to json: inout JSONWriter) throws {
        let id: CardID
        switch fact.event {
        case .cardOpened(let event): id = event.card
        case .waitingCardTaken(let event) where event.from != nil: id = event.card
        default: return
        }
        guard let card = try resources.service.past(through: position).card(id) else { return }
        let opened = try resources.service.opened(card).aged(to: now)
        CardAnswer(card: opened, now: now, reasons: try resources.reasons(of: [opened])).write(to: &json)
    }

    /// The events of a card from its time of waiting for the account's number, if `fact` took it over.
    private func waitingEvents(before fact: Fact) throws -> [Fact] {
        guard case .waitingCardTaken(let event) = fact.event, event.from != nil else { return [] }
        return try resources.service.past(through: position).events(of: event.card, before: Position(fact.position))
    }

    private func writePost(_ fact: Fact, to json: inout JSONWriter) throws {
        switch fact.event {
        case .reviewPosted(let event) where event.author == id:
            let text = try resources.text(event.text, as: .reviewText, of: id)
            json.write(["id": event.review, "shop": event.shop, "rating": event.rating, "text": text, "createdAt": fact.time])
        case .replyPosted(let event) where event.author == id:
            let text = try resources.text(event.text, as: .replyText, of: id)
            json.write(["id": event.reply, "shop": event.shop, "parent": event.parent, "text": text, "createdAt": fact.time])
        default: break
        }
    }

    /// In its present form, unless it was removed.
    private func writeSearch(_ fact: Fact, to json: inout JSONWriter) throws {
        guard case .searchSaved(let event) = fact.event, let search = try resources.service.past(through: position).search(event.search),
            !search.isRemoved, let terms = try resources.service.terms(of: search)
        else { return }
        json.write(search.fields(terms))
    }

    private func writeSession(_ fact: Fact, to json: inout JSONWriter) throws {
        guard case .sessionStarted(let event) = fact.event else { return }
        let end = try resources.service.past(through: position).end(of: event.session)
        let expiresAt = end.expiresAt ?? event.expiresAt
        json.write(["id": event.session, "startedAt": fact.time, "expiresAt": expiresAt, "endedAt": end.endedAt])
    }

    /// In the order in which they were added; only present ones are in memory.
    @concurrent
    private func writeFavorites(to pieces: inout Pieces) async throws {
        var added: [CampaignID: Fact] = [:]
        try await forEach([.favoriteAdded, .favoriteRemoved], &pieces) { fact, _ in
            switch fact.event {
            case .favoriteAdded(let event): added[event.campaign] = fact
            case .favoriteRemoved(let event): added[event.campaign] = nil
            default: break
            }
        }
        pieces.json.array("favorites", added.sorted { $0.value.position < $1.value.position }) {
            $0.write(["campaign": $1.key, "addedAt": $1.value.time])
        }
    }

    /// Newest first. Only the read model knows who received a notice.
    @concurrent
    private func writeNotices(to pieces: inout Pieces) async throws {
        pieces.json.beginArray("notices")
        var before: Position? = position.next
        while let bound = before {
            let page = try resources.service.models.notices.notices(of: id, before: bound, limit: Limits.exportPageEvents)
            for received in page.notices {
                let readAt = try received.readAt.flatMap { $0 <= position ? try resources.service.log.event(at: $0) : nil }
                let notice = try resources.noticeAnswer(received.notice, isRead: readAt != nil)
                pieces.json.write(notice.fields + ["readAt": try readAt.map { try LoyaltyCodec.decode($0).time }])
            }
            before = page.next
            try await pieces.send()
        }
        pieces.json.endArray()
    }

    /// A scheduled notice is written once, when it appeared.
    private func writePosted(_ fact: Fact, to json: inout JSONWriter) throws {
        switch fact.event {
        case .noticePosted(let event) where event.author == id:
            let answer = try resources.noticeAnswer(PostedNotice(event, of: fact), through: position)
            json.write(answer.fields + ["status": NoticeStatus.posted.rawValue])
        case .noticeScheduled(let event) where event.author == id:
            let known = try resources.service.past(through: position).notice(event.notice)
            guard let status = known?.status, status != .posted else { return }
            let shop = try event.audience.shop.map { try resources.shop($0, through: position) }
            let answer = NoticeAnswer(
                id: event.notice, title: try resources.text(event.title, as: .noticeTitle, of: id),
                text: try resources.text(event.text, as: .noticeText, of: id), audience: event.audience, shopName: shop?.name,
                postedAt: nil, publishAt: event.publishAt)
            json.write(answer.fields + ["status": status.rawValue])
        default: break
        }
    }

    /// The campaigns of the account's shops, in the order of publication, read one at a time: a shop has at most a thousand.
    @concurrent
    private func writeCampaigns(to pieces: inout Pieces) async throws {
        let past = resources.service.past(through: position)
        pieces.json.beginArray("campaigns")
        for line in shops {
            for campaign in try past.campaignIDs(of: line.shop.id) {
                guard let known = try past.campaign(campaign) else { continue }
                pieces.json.write(ExportAnswer.fields(try resources.service.opened(known, of: line.shop)))
                try await pieces.send()
            }
            await Task.yield()
        }
        pieces.json.endArray()
    }

    /// The names under which shops' people see the account, also at shops that it has left.
    @concurrent
    private func writeStaffNames(to pieces: inout Pieces) async throws {
        var named: [ShopID: Fact] = [:]
        try await forEach([.staffLabeled], &pieces) { fact, _ in
            if case .staffLabeled(let event) = fact.event { named[event.shop] = fact }
        }
        pieces.json.beginArray("staffNames")
        for (shop, fact) in named.sorted(by: { $0.value.position < $1.value.position }) {
            guard let label = try resources.service.label(of: id, at: shop, through: position) else { continue }
            pieces.json.write(["shop": shop, "label": label, "namedAt": fact.time])
            try await pieces.send()
        }
        pieces.json.endArray()
    }

    /// Writes an array; `write` may add one element for each event.
    @concurrent
    private func array(
        _ name: String, _ types: [EventType], _ pieces: inout Pieces, _ write: (Fact, inout JSONWriter) throws -> Void
    ) async throws {
        pieces.json.beginArray(name)
        try await forEach(types, &pieces, write)
        pieces.json.endArray()
    }

    @concurrent
    private func forEach(_ types: [EventType], _ pieces: inout Pieces, _ body: (Fact, inout JSONWriter) throws -> Void) async throws {
        var after = Position.start
        while true {
            let page = try resources.service.past(through: position).history(
                of: id, types: types, after: after, limit: Limits.exportPageEvents)
            for fact in page {
                try body(fact, &pieces.json)
                try await pieces.send()
            }
            guard page.count == Limits.exportPageEvents, let last = page.last else { return }
            after = Position(last.position)
            await Task.yield()
        }
    }
}

extension ExportWriting {
    private struct Pieces {
        var json = JSONWriter()
        var writer: any ResponseBodyWriter
        let slot: Slot

        init(writer: any ResponseBodyWriter, slot: Slot) { (self.writer, self.slot) = (writer, slot) }

        @concurrent
        mutating func send(atLeast count: Int = Limits.exportPieceBytes) async throws {
            guard json.bytes.count >= max(count, 1) else { return }
            let bytes = json.takeBytes()
            try await writer.write(ByteBuffer(bytes: bytes))
            // The writer waits until the client has read most of the earlier bytes.
            slot.progressed(bytes: bytes.count)
        }
    }
}

/// Elements of an export of an account's data.
enum ExportAnswer {
    static func fields(_ shop: Shop, closingReason: String?) -> JSONFields {
        let state: JSONFields = [
            "id": shop.id, "name": shop.name, "phone": shop.phone, "address": shop.address, "location": shop.location,
            "openedAt": shop.openedAt, "closedAt": shop.closing?.closedAt, "redeemUntil": shop.closing?.redeemUntil,
            "closingReason": closingReason, "images": shop.images,
        ]
        return state + shop.look.fields + shop.schedule.fields
    }

    /// A campaign whose texts are decrypted, in the terms that it has now.
    static func fields(_ campaign: Campaign) -> JSONFields {
        let terms: JSONFields = [
            "id": campaign.id, "shop": campaign.shop, "kind": campaign.kind.rawValue, "title": campaign.title.open,
            "details": campaign.details.open, "image": campaign.image, "goal": campaign.shownGoal, "reward": campaign.shownReward,
            "startsAt": campaign.startsAt, "endsAt": campaign.endsAt, "endedAt": campaign.endedAt,
        ]
        let shops = campaign.options.shops
        let rest: JSONFields = [
            "shops": IfPresent(shops.isEmpty ? nil : shops), "stampsPerDayMax": campaign.caps.stampsPerDayMax,
            "minimumGapSeconds": campaign.caps.minimumGapSeconds,
        ]
        return terms + campaign.options.fields + rest
    }
}
