import CommandService
import Composition
import EventLog
import Loyalty
import LoyaltyCodec
import ReadModels

extension Resources {
    /// All data held about an account, as of the newest event. It is read from the log, so that no read model can leave a thing out.
    func exportAnswer(_ id: AccountID) throws -> ExportAnswer {
        let position = service.log.head
        let past = service.past(through: position)
        let answer = try accountAnswer(id, through: position)
        let events = try service.reading(through: position) { try $0.history(of: id) }
        guard let account = try service.reading(through: position, { try $0.account(id) }) else { throw Problem(.unauthenticated) }
        let cards = try cards(in: events, past).map { $0.aged(to: now) }
        return ExportAnswer(
            account: answer, registeredAt: account.registeredAt, hasPassword: account.password != nil, position: position,
            shops: try past.shops(ownedBy: id).map { try service.opened($0) },
            cards: cards, posts: try events.compactMap { try post($0, by: id) },
            feedback: try events.compactMap(feedbackAnswer),
            sessions: Self.sessions(in: events), favorites: Self.favorites(in: events), notices: try received(by: id, in: events),
            reasons: try reasons(of: cards), events: events)
    }

    private func cards(in events: [Fact], _ past: LogPast<EventLog>) throws -> [Card] {
        try events.compactMap { fact in
            guard case .cardOpened(let event) = fact.event else { return nil }
            return try past.card(event.card).map { try service.opened($0) }
        }
    }

    private func post(_ fact: Fact, by author: AccountID) throws -> ExportAnswer.PostLine? {
        switch fact.event {
        case .reviewPosted(let event) where event.author == author:
            ExportAnswer.PostLine(
                id: event.review, shop: event.shop, parent: nil, rating: event.rating,
                text: try text(event.text, as: .reviewText, of: author), at: fact.time)
        case .replyPosted(let event) where event.author == author:
            ExportAnswer.PostLine(
                id: event.reply, shop: event.shop, parent: event.parent, rating: nil,
                text: try text(event.text, as: .replyText, of: author), at: fact.time)
        default: nil
        }
    }

    /// The present favourites, in the order in which they were added.
    private static func favorites(in events: [Fact]) -> [ExportAnswer.FavoriteLine] {
        var lines: [ExportAnswer.FavoriteLine] = []
        for fact in events {
            switch fact.event {
            case .favoriteAdded(let event): lines.append(.init(campaign: event.campaign, addedAt: fact.time))
            case .favoriteRemoved(let event): lines.removeAll { $0.campaign == event.campaign }
            default: break
            }
        }
        return lines
    }

    /// Every notice that the account received, newest first. Only the read model of notices, not the log, knows who received a notice.
    private func received(by account: AccountID, in events: [Fact]) throws -> [ExportAnswer.NoticeLine] {
        var times: [NoticeID: Instant] = [:]
        for fact in events {
            if case .noticeRead(let event) = fact.event, times[event.notice] == nil { times[event.notice] = fact.time }
        }
        var (lines, before): ([ExportAnswer.NoticeLine], Position?) = ([], nil)
        repeat {
            let page = try service.models.notices.notices(of: account, before: before, limit: Limits.pageItems.upperBound)
            lines += try page.notices.map { received in
                .init(
                    notice: try noticeAnswer(received.notice, isRead: received.isRead), readAt: times[received.notice.id])
            }
            before = page.next
        } while before != nil
        return lines
    }

    private static func sessions(in events: [Fact]) -> [ExportAnswer.SessionLine] {
        var lines: [ExportAnswer.SessionLine] = []
        var places: [SessionID: Int] = [:]
        for fact in events {
            switch fact.event {
            case .sessionStarted(let event):
                places[event.session] = lines.count
                lines.append(.init(id: event.session, startedAt: fact.time, expiresAt: event.expiresAt))
            case .sessionRefreshed(let event): places[event.session].map { lines[$0].expiresAt = event.expiresAt }
            case .sessionEnded(let event): places[event.session].map { lines[$0].endedAt = fact.time }
            default: break
            }
        }
        return lines
    }
}

/// All data held about an account, for its owner.
struct ExportAnswer: JSONWritable {
    /// One session of the account.
    struct SessionLine {
        let id: SessionID
        let startedAt: Instant
        var expiresAt: Instant
        var endedAt: Instant?
    }

    /// A review or reply of the account.
    struct PostLine {
        let id: ReviewID
        let shop: ShopID
        /// The review or reply that this one answers.
        let parent: ReviewID?
        let rating: Int?
        let text: String?
        let at: Instant
    }

    /// A campaign among the account's favourites.
    struct FavoriteLine {
        let campaign: CampaignID
        let addedAt: Instant
    }

    /// A notice that the account received.
    struct NoticeLine {
        let notice: NoticeAnswer
        /// The time at which the account first read the notice.
        let readAt: Instant?
    }

    let account: AccountAnswer
    let registeredAt: Instant
    let hasPassword: Bool
    /// The log's position at the time of the export.
    let position: Position
    /// All shops that the account owns, oldest first.
    let shops: [Shop]
    let cards: [Card]
    /// Reviews and replies as they were written.
    let posts: [PostLine]
    /// The account's messages to the operator.
    let feedback: [FeedbackItemAnswer]
    let sessions: [SessionLine]
    let favorites: [FavoriteLine]
    let notices: [NoticeLine]
    /// The reasons of adjustments to cards, by position.
    let reasons: [UInt64: String]
    /// All events about the account, in order, as the log holds them, with their sealed data.
    let events: [Fact]

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("position", position.rawValue)
            $0.object("account") {
                account.writeFields(to: &$0)
                $0.field("registeredAt", registeredAt)
                $0.field("hasPassword", hasPassword)
            }
            let first = shops.first { $0.closing == nil } ?? shops.first
            if let first { $0.object("shop") { Self.write(first, to: &$0) } } else { $0.null("shop") }
            $0.array("shops", shops) { json, shop in json.object { Self.write(shop, to: &$0) } }
            $0.array("cards", cards.map { CardAnswer(card: $0, reasons: reasons) })
            $0.array("reviews", posts.filter { $0.parent == nil }, Self.write)
            $0.array("replies", posts.filter { $0.parent != nil }, Self.write)
            $0.array("feedback", feedback)
            $0.array("favorites", favorites, Self.write)
            $0.array("notices", notices, Self.write)
            $0.array("sessions", sessions, Self.write)
            $0.array("events", events) { json, fact in json.value(written: FactText.json(fact, for: self.account.account)) }
        }
    }

    private static func write(_ shop: Shop, to json: inout JSONWriter) {
        json.field("id", shop.id)
        json.field("name", shop.name)
        json.field("phone", shop.phone)
        json.field("address", shop.address)
        if let place = shop.location { json.field("location", CoordinateAnswer(coordinate: place)) } else { json.null("location") }
        json.field("openedAt", shop.openedAt)
    }

    private static func write(to json: inout JSONWriter, _ post: PostLine) {
        json.object {
            $0.field("id", post.id)
            $0.field("shop", post.shop)
            if let parent = post.parent { $0.field("parent", parent) } else { $0.field("rating", post.rating) }
            $0.field("text", post.text)
            $0.field("createdAt", post.at)
        }
    }

    private static func write(to json: inout JSONWriter, _ favorite: FavoriteLine) {
        json.object {
            $0.field("campaign", favorite.campaign)
            $0.field("addedAt", favorite.addedAt)
        }
    }

    private static func write(to json: inout JSONWriter, _ line: NoticeLine) {
        json.object {
            line.notice.writeFields(to: &$0)
            if let readAt = line.readAt { $0.field("readAt", readAt) } else { $0.null("readAt") }
        }
    }

    private static func write(to json: inout JSONWriter, _ session: SessionLine) {
        json.object {
            $0.field("id", session.id)
            $0.field("startedAt", session.startedAt)
            $0.field("expiresAt", session.expiresAt)
            if let end = session.endedAt { $0.field("endedAt", end) } else { $0.null("endedAt") }
        }
    }
}
