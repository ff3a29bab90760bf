import CommandService
import EventLog
import Loyalty
import LoyaltyCodec
import ReadModels

extension Resources {
    /// Everything that is held about an account, as of the newest event: read from the log, so that no read model can leave a thing out.
    func exportAnswer(_ id: AccountID) throws -> ExportAnswer {
        let position = service.log.head
        let past = service.past(through: position)
        let answer = try accountAnswer(id, through: position)
        let events = try service.reading(through: position) { try $0.history(of: id) }
        guard let account = try service.reading(through: position, { try $0.account(id) }) else { throw Problem(.unauthenticated) }
        let cards = try cards(in: events, past)
        return ExportAnswer(
            account: answer, registeredAt: account.registeredAt, hasPassword: account.password != nil, position: position,
            shop: try past.shop(ownedBy: id).map { try service.opened($0) },
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

    /// What is kept now, in the order in which it was added.
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

    /// Every notice that the account got, newest first. Who gets one is not said by the log but by the model of notices.
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
