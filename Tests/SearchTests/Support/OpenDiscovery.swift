import EventLog
import Histories
import Loyalty
import Projections
import ReadModels
import Testing

@testable import Search

/// An open log with its only appender, the search model, and the other read models that follow the log.
final class OpenDiscovery {
    let log: EventLog
    let discovery: Discovery
    let models: ReadModels
    let appender: Appender

    /// Opens the model.
    ///
    /// - Parameter findKey: finds the keys of shops; nil for no keys, as in a rebuild.
    init(_ data: TestData = TestData(), findKey: Discovery.KeyFinder? = nil) throws {
        log = try data.log()
        appender = try log.appender()
        discovery = try Discovery(directory: data.models, log: log, findKey: findKey)
        models = try ReadModels(directory: data.models, log: log, others: [discovery.waiting(for: log)])
    }

    /// Appends facts and waits until the models have applied them.
    func append(_ facts: some Collection<Fact>) async throws {
        try log.append(facts, with: appender)
        guard await caughtUp() else { throw NotCaughtUp(status: status) }
    }

    func caughtUp() async -> Bool {
        await models.reached(log.head, timeoutSeconds: 600)
    }

    var status: ModelStatus? { models.status.first { $0.name == Discovery.name } }

    /// Returns every item of a campaign search, page by page.
    func all(_ search: CampaignSearch, limit: Int = 100) async throws -> [Found<Campaign>] {
        var (found, cursor): ([Found<Campaign>], DiscoveryCursor?) = ([], nil)
        repeat {
            let page = try discovery.campaigns(search, after: cursor, limit: limit)
            found += page.items
            cursor = page.next
        } while cursor != nil
        return found
    }

    func all(_ search: ShopSearch, limit: Int = 100) async throws -> [Found<Shop>] {
        var (found, cursor): ([Found<Shop>], DiscoveryCursor?) = ([], nil)
        repeat {
            let page = try discovery.shops(search, after: cursor, limit: limit)
            found += page.items
            cursor = page.next
        } while cursor != nil
        return found
    }

    /// Returns the first items of a search over several pages, because a page may end early at the row limit.
    func some(_ search: CampaignSearch, limit: Int) throws -> FoundPage<Campaign> {
        try some(limit: limit) { try discovery.campaigns(search, after: $0, limit: $1) }
    }

    func some(_ search: ShopSearch, limit: Int) throws -> FoundPage<Shop> {
        try some(limit: limit) { try discovery.shops(search, after: $0, limit: $1) }
    }

    private func some<Noun>(
        limit: Int, _ page: (DiscoveryCursor?, Int) throws -> FoundPage<Noun>
    ) throws -> FoundPage<Noun> {
        var (found, cursor, looks): ([Found<Noun>], DiscoveryCursor?, Int) = ([], nil, 0)
        repeat {
            let next = try page(cursor, limit - found.count)
            found += next.items
            (cursor, looks) = (next.next, max(looks, next.looks))
            try #require(next.looks <= SearchLimits.looksMax)
        } while cursor != nil && found.count < limit
        return FoundPage(items: found, next: cursor, looks: looks)
    }

    func close() throws {
        try models.close()
        try log.close()
    }

    struct NotCaughtUp: Error {
        let status: ModelStatus?
    }
}
