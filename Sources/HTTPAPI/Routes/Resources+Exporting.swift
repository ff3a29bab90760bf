import CommandService
import EventLog
import Loyalty
import LoyaltyCodec

extension Resources {
    /// Everything that is held about an account, as of the newest event: read from the log, so that no read model can leave a thing out.
    func exportAnswer(_ id: AccountID) throws -> ExportAnswer {
        let position = service.log.head
        let past = service.past(through: position)
        let answer = try accountAnswer(id, through: position)
        let events = try service.reading(through: position) { try $0.history(of: id) }
        guard let account = try service.reading(through: position, { try $0.account(id) }) else { throw Problem(.unauthenticated) }
        return ExportAnswer(
            account: answer, registeredAt: account.registeredAt, hasPassword: account.password != nil, position: position,
            shop: try past.shop(ownedBy: id), cards: try cards(in: events, past), posts: try events.compactMap { try post($0, by: id) },
            sessions: Self.sessions(in: events), events: events)
    }

    private func cards(in events: [Fact], _ past: LogPast<EventLog>) throws -> [Card] {
        try events.compactMap { fact in
            guard case .cardOpened(let event) = fact.event else { return nil }
            return try past.card(event.card)
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
