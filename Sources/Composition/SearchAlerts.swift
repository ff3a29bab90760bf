import CommandService
import EventLog
import Loyalty
import LoyaltyCodec
import Projections
import ReadModels
import Search
import Synchronization

/// Finds the new campaigns of saved searches whose next alert is due, a few searches at a time, in turns. A search without news stays due,
/// and its turn comes again.
///
/// Only where the turn is, is in memory. The log decides whether an alert is due, so a restart repeats none.
final class SearchAlerts: Sendable {
    private let models: ReadModels
    private let discovery: Discovery
    private let keyStore: KeyStore
    private let last = Mutex<SavedSearch?>(nil)

    init(_ models: ReadModels, _ discovery: Discovery, _ keyStore: KeyStore) {
        (self.models, self.discovery, self.keyStore) = (models, discovery, keyStore)
    }

    /// The alerts that are due, at most ``Limits/alertsOfferedAtOnce``, of at most ``Limits/alertsSearchedAtOnce`` searches. The last one
    /// may exceed ``Limits/alertRowsAtOnce`` visited rows.
    func due(at passed: Instant, _ newNotice: () -> NoticeID) throws(ReadModelError) -> [Command] {
        try last.withLock { (last) throws(ReadModelError) in
            let page = try models.searches.due(through: passed, after: last, limit: Limits.alertsSearchedAtOnce)
            var (commands, rows): ([Command], Int) = ([], 0)
            last = nil
            for search in page {
                let (news, looks) = try news(of: search, at: passed)
                rows += looks
                if let news { commands.append(.search(.alert(AlertSearch(of: search, news, notice: newNotice())))) }
                let isFull = rows >= Limits.alertRowsAtOnce || commands.count == Limits.alertsOfferedAtOnce
                guard isFull || search == page.last && page.count == Limits.alertsSearchedAtOnce else { continue }
                last = search
                break
            }
            return commands
        }
    }

    private func news(of search: SavedSearch, at passed: Instant) throws(ReadModelError) -> (SearchNews?, looks: Int) {
        let key: DataKey?
        do { key = try keyStore.key(of: search.account) } catch { throw ReadModelError(.keys, model: Searches.name, "\(error)") }
        // Without a key the account was erased, and the model is behind.
        guard let key, let terms = Sealing.open(terms: search.terms, of: search.account, under: key) else { return (nil, 1) }
        let limit = Loyalty.Limits.alertCandidates
        let news = try discovery.news(CampaignSearch(terms, at: passed), after: Position(search.after), limit: limit)
        return (news.campaigns.isEmpty ? nil : news, max(news.looks, 1))
    }
}

extension AlertSearch {
    fileprivate init(of search: SavedSearch, _ news: SearchNews, notice: NoticeID) {
        self.init(
            search: search.id, notice: notice, found: news.campaigns, hasMore: news.hasMore, after: search.after,
            through: news.position.rawValue)
    }
}

extension CampaignSearch {
    init(_ terms: SearchTerms, at now: Instant) {
        self.init(
            near: terms.near.map { Near(center: $0, radiusMeters: terms.radius ?? SearchLimits.radiusMetersDefault) }, kind: terms.kind,
            text: terms.text, now: now,
            filter: ShopFilter(openAt: terms.isOpen ? now : nil, minRating: terms.minRating.flatMap { MinRating(units: $0) }))
        isLasting = true
    }
}
