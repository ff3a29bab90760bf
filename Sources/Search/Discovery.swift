public import EventLog
internal import GRDB
public import Loyalty
public import LoyaltyCodec
public import Projections
internal import ReadModels

/// The read model for discovery: finds shops and campaigns by place, words, age and popularity, and lists the favourites of accounts.
///
/// The model works like those of ``ReadModels``, but in SQLite: FTS5 finds words, and R*Tree finds places. Its tables hold only the columns
/// for searching and sorting, and searches return ids. The service reads the content from the log. Each read uses one snapshot and never
/// waits for the writer. Any task may read while the model advances.
///
/// A cursor contains the log position of the first page of its list. The model keeps old places and each change of favourites, so that a
/// list shows each item once even if shops move between two pages.
public final class Discovery: Sendable {
    /// The model's folder and its name in tools.
    public static let name = "discovery"

    /// The types of the events that the model reads; all other events are ignored. The effect of each type on the rows is one case of
    /// `Database.apply(_:)`.
    public static let eventTypes: Set<EventType> = [
        .shopOpened, .shopEdited, .shopSuspended, .shopReinstated, .shopClosed, .shopTransferred, .campaignPublished, .campaignEdited,
        .campaignEnded, .campaignReopened, .favoriteAdded, .favoriteRemoved, .accountErased,
    ]

    private let box: ModelBox<DiscoveryFile>
    /// The generation in use. Get it again for each read, because a rebuild may replace it.
    var file: DiscoveryFile { box.model }
    /// A cache of the favourite counts of campaigns and the favourites of accounts that were read recently.
    let standings = StandingCache()

    /// The schema version of the rows that this program reads.
    package static var schemaVersion: Int { DiscoverySchema.version }

    /// The folder of the model's generations.
    ///
    /// - Parameter models: the folder of all models, `DATA/derived/models`.
    package static func folder(in models: String) -> ModelFolder { DiscoveryFile.folder(in: models) }

    /// Lets SQLite check the pages of a generation, while a server may write.
    ///
    /// - Throws: ``ReadModelError/Code/damaged``, ``ReadModelError/Code/storage``.
    package static func search(_ generation: Generation, in folder: ModelFolder) throws(ReadModelError) {
        try DiscoveryFile.search(in: folder.path(of: generation))
    }

    /// Finds the key of a shop's sealed contact data and campaigns; nil if the key was destroyed.
    public typealias KeyFinder = @Sendable (ShopID) throws -> DataKey?

    private let folder: ModelFolder
    private let findKey: KeyFinder?

    /// Opens the model's folder, and creates it if it is missing. To make the model follow the log, pass ``waiting(for:)`` to a
    /// ``ModelRunner``.
    ///
    /// - Parameters:
    ///   - directory: the folder of all models, `DATA/derived/models`.
    ///   - findKey: finds the keys of sealed data; without it only unsealed data is found.
    /// - Throws: ``ReadModelError/Code/storage``, ``ReadModelError/Code/locked``, ``ReadModelError/Code/log``.
    public init(directory: String, log: EventLog, findKey: KeyFinder? = nil) throws(ReadModelError) {
        self.findKey = findKey.map(Self.naming)
        folder = Self.folder(in: directory)
        box = ModelBox(try DiscoveryFile.open(in: directory, log: log))
    }

    /// Names the keys as the cause if one of them cannot be read.
    private static func naming(_ find: @escaping KeyFinder) -> KeyFinder {
        { shop in
            do { return try find(shop) } catch { throw ReadModelError(.keys, model: name, "\(error)") }
        }
    }

    /// The model in the form that a ``ModelRunner`` accepts.
    package func waiting(for log: EventLog) throws(ReadModelError) -> WaitingModel {
        try Exchange(box: box, standings: standings, folder: folder, log: log, findKey: findKey).waiting(file)
    }

    /// Reads one snapshot, on the calling thread.
    ///
    /// A page takes a fraction of a millisecond of processor time. Switching to another thread and back would take as long as the read
    /// itself. An earlier version switched threads for each read. Under load, each of the few database readers was then occupied while its
    /// answer waited for a thread, and half of all requests waited for a reader.
    func reading<Result>(_ body: (Database) throws -> Result) throws(ReadModelError) -> Result {
        while true {
            let file = file
            do { return try file.pool.read(body) } catch {
                // If another generation has come into use meanwhile, the folder of the generation read here may be removed, so that a new
                // connection finds no file. Then the read is repeated with the new generation.
                if file.generation == self.file.generation { throw file.noting(error) }
            }
        }
    }
}

extension Discovery {
    /// One page of campaigns.
    ///
    /// - Parameters:
    ///   - after: ``FoundPage/next`` of the previous page of the same search; nil for the first.
    ///   - limit: 1 to 100; other values are clamped.
    /// - Throws: ``ReadModelError/Code/storage``, ``ReadModelError/Code/damaged``.
    public func campaigns(
        _ search: CampaignSearch, after: DiscoveryCursor? = nil, limit: Int = 20
    ) throws(ReadModelError) -> FoundPage<Campaign> {
        try reading { db in
            try Finder(
                db, .campaigns, condition: search.condition, shop: search.shop, near: search.near, text: search.text, sort: search.sort,
                after: after,
                limit: limit
            ).page(of: Campaign.self)
        }
    }

    /// One page of shops. The parameters and errors are like those of ``campaigns(_:after:limit:)``.
    public func shops(
        _ search: ShopSearch, after: DiscoveryCursor? = nil, limit: Int = 20
    ) throws(ReadModelError) -> FoundPage<Shop> {
        try reading { db in
            try Finder(
                db, .shops, near: search.near, text: search.text, sort: search.near == nil ? .newest : .distance, after: after,
                limit: limit
            ).page(of: Shop.self)
        }
    }
}

extension CampaignSearch {
    /// The SQL condition that a campaign must meet, apart from its place and its words.
    fileprivate var condition: SQL {
        var condition: SQL = "s.hidden = 0"
        if let kind { condition += " AND i.kind = \(kind.number)" }
        let running: SQL = "(i.ended = 0 AND i.starts <= \(now.microseconds) AND i.ends > \(now.microseconds))"
        switch isRunning {
        case true?: condition += " AND \(running)"
        case false?: condition += " AND NOT \(running)"
        case nil: break
        }
        return condition
    }
}

extension Discovery {
    /// For each of the shops, the newest campaigns that have not ended, newest first. These are running and future campaigns.
    ///
    /// The rules limit how many such campaigns a shop may have. Ended campaigns are not read, however many a shop has, and nothing is read
    /// from the log.
    ///
    /// - Parameter limit: the maximum number of campaigns per shop.
    /// - Returns: a list for each shop that has any.
    /// - Throws: ``ReadModelError/Code/storage``, ``ReadModelError/Code/damaged``.
    public func openCampaigns(
        of shops: [ShopID], at now: Instant, limit: Int
    ) throws(ReadModelError) -> [ShopID: [CampaignID]] {
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
