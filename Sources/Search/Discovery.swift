public import EventLog
internal import GRDB
public import Loyalty
public import LoyaltyCodec
public import Projections
internal import ReadModels

/// The read model for discovery: finds shops and campaigns by place, words, age and popularity, and lists favourites.
///
/// The rows are in SQLite, with FTS5 for words and R*Tree for places. Each read uses one snapshot and never waits for the writer. Any task
/// may read. A cursor contains the log position of its list's first page. Old places and changes of favourites are kept, so that a list
/// shows each item once even if shops move between two pages.
public final class Discovery: Sendable {
    public static let name = "discovery"

    /// The types of the events that the model reads. `Database.apply(_:)` has a case for each.
    public static let eventTypes: Set<EventType> = [
        .shopOpened, .shopEdited, .shopSuspended, .shopReinstated, .shopClosed, .shopTransferred, .campaignPublished, .campaignEdited,
        .campaignEnded, .campaignReopened, .favoriteAdded, .favoriteRemoved, .accountErased, .reviewPosted, .reviewRemoved,
    ]

    private let box: ModelBox<DiscoveryFile>
    /// The generation in use. Get it again for each read, because a rebuild may replace it.
    var file: DiscoveryFile { box.model }
    let standings = StandingCache()

    package static var schemaVersion: Int { DiscoverySchema.version }

    /// The folder of the model's generations in `DATA/derived/models`.
    package static func folder(in models: String) -> ModelFolder { DiscoveryFile.folder(in: models) }

    /// Lets SQLite check a generation's pages, while a server may write.
    package static func search(_ generation: Generation, in folder: ModelFolder) throws(ReadModelError) {
        try DiscoveryFile.search(in: folder.path(of: generation))
    }

    /// Finds the key of a shop's sealed data, unless it was destroyed.
    public typealias KeyFinder = @Sendable (ShopID) throws -> DataKey?

    private let folder: ModelFolder
    private let findKey: KeyFinder?

    /// Opens or creates the model, for ``waiting(for:)`` to follow the log.
    ///
    /// - Parameters:
    ///   - directory: `DATA/derived/models`.
    ///   - findKey: without it only unsealed data is found.
    public init(directory: String, log: EventLog, findKey: KeyFinder? = nil) throws(ReadModelError) {
        self.findKey = findKey.map(Self.naming)
        folder = Self.folder(in: directory)
        box = ModelBox(try DiscoveryFile.open(in: directory, log: log))
    }

    private static func naming(_ find: @escaping KeyFinder) -> KeyFinder {
        { shop in
            do { return try find(shop) } catch { throw ReadModelError(.keys, model: name, "\(error)") }
        }
    }

    /// The model in the form that a ``ModelRunner`` accepts.
    package func waiting(for log: EventLog) throws(ReadModelError) -> WaitingModel {
        try Exchange(box: box, standings: standings, folder: folder, log: log, findKey: findKey).waiting(file)
    }

    /// Reads one snapshot, on the calling thread. Asynchronous reads take twice as long, and occupy the few database readers meanwhile.
    func reading<Result>(_ body: (Database) throws -> Result) throws(ReadModelError) -> Result {
        while true {
            let file = file
            do { return try file.pool.read(body) } catch {
                // The folder of a replaced generation may be removed. Then the read is repeated.
                if file.generation == self.file.generation { throw file.noting(error) }
            }
        }
    }
}

extension Discovery {
    /// One page of campaigns.
    ///
    /// - Parameters:
    ///   - after: ``FoundPage/next`` of the previous page of the same search.
    ///   - limit: clamped to 1 to 100.
    public func campaigns(
        _ search: CampaignSearch, after: DiscoveryCursor? = nil, limit: Int = 20
    ) throws(ReadModelError) -> FoundPage<Campaign> {
        try reading { db in
            try Finder(
                db, .campaigns, condition: search.condition, shop: search.shop, near: search.near, text: search.text,
                among: search.among?.map(\.value), sort: search.sort, after: after, limit: limit
            ).page(of: Campaign.self)
        }
    }

    /// One page of shops, like ``campaigns(_:after:limit:)``.
    public func shops(_ search: ShopSearch, after: DiscoveryCursor? = nil, limit: Int = 20) throws(ReadModelError) -> FoundPage<Shop> {
        try reading { db in
            try Finder(
                db, .shops, condition: search.filter.condition, near: search.near, text: search.text, among: search.among?.map(\.value),
                sort: search.sort ?? (search.near == nil ? .newest : .distance), after: after, limit: limit
            ).page(of: Shop.self)
        }
    }
}

extension CampaignSearch {
    var condition: SQL {
        var condition = filter.condition
        if let kind { condition += " AND i.kind = \(kind.number)" }
        let running: SQL = "(i.ended = 0 AND i.starts <= \(now.microseconds) AND i.ends > \(now.microseconds))"
        switch isRunning {
        case true?: condition += " AND \(running)"
        case false?: condition += " AND NOT \(running)"
        case nil: break
        }
        if isLasting { condition += " AND i.ended = 0 AND i.ends > \(now.microseconds)" }
        return condition
    }
}

extension Discovery {
    /// For each shop that has any, the newest running and future campaigns, newest first. The rules limit their number.
    ///
    /// - Parameter limit: campaigns per shop.
    public func openCampaigns(of shops: [ShopID], at now: Instant, limit: Int) throws(ReadModelError) -> [ShopID: [CampaignID]] {
        guard !shops.isEmpty else { return [:] }
        return try reading { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT i.id FROM campaigns AS i INDEXED BY campaigns_ending
                    WHERE i.shop = (SELECT n FROM shops WHERE id = ?) AND i.ended = 0 AND i.ends > ?
                    ORDER BY i.n DESC LIMIT ?
                    """)
            var open: [ShopID: [CampaignID]] = [:]
            for shop in shops {
                let rows = try Row.fetchAll(statement, arguments: [shop.value.blob, now.microseconds, limit])
                if !rows.isEmpty { open[shop] = try rows.map { CampaignID(UInt128(blob: try $0.decode(atIndex: 0))) } }
            }
            return open
        }
    }
}
