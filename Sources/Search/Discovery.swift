public import EventLog
internal import GRDB
public import Loyalty
public import LoyaltyCodec
public import Projections
internal import ReadModels

/// The model of discovery: shops and campaigns by place, by words, by age and by popularity; and the favourites of accounts.
///
/// A read model like those of ``ReadModels``, in SQLite: FTS5 finds words, R*Tree finds places. It holds the columns for searching and
/// sorting and answers with ids; their content is read from the log. Reads take one snapshot each and never wait for the writer; any task
/// may read while the model advances.
///
/// Search answers with IDs, and the service reads what is shown from the log. A cursor carries the log position of its first page; the
/// model keeps old places and each change of favourites, so that a list shows each item once while shops move.
public final class Discovery: Sendable {
    /// The model's folder and its name in tools.
    public static let name = "discovery"

    /// The only events that it reads. What each means for the rows is one case of `Database.apply(_:)`.
    public static let eventTypes: Set<EventType> = [
        .shopOpened, .shopEdited, .shopSuspended, .shopReinstated, .shopClosed, .campaignPublished, .campaignEdited,
        .campaignEnded, .campaignReopened, .favoriteAdded, .favoriteRemoved,
    ]

    private let box: ModelBox<DiscoveryFile>
    /// The generation in use: ask again for each reading, since a rebuild puts another one into its place.
    var file: DiscoveryFile { box.model }
    /// How campaigns stand, as it was read lately.
    let standings = StandingCache()

    /// The version of the rows that this program reads.
    package static var schemaVersion: Int { DiscoverySchema.version }

    /// The folder of the model's generations.
    ///
    /// - Parameter models: the folder of all models, `DATA/derived/models`.
    package static func folder(in models: String) -> ModelFolder { DiscoveryFile.folder(in: models) }

    /// The key of a shop's sealed contact data and campaigns; nil where it was destroyed.
    public typealias KeyFinder = @Sendable (ShopID) throws -> DataKey?

    private let folder: ModelFolder
    private let findKey: KeyFinder?

    /// Opens the model's folder, and creates it if it is missing. It does not follow the log yet: hand ``waiting(for:)`` to its runner.
    ///
    /// - Parameters:
    ///   - directory: the folder of all models, `DATA/derived/models`.
    ///   - findKey: finds the keys of sealed data; without it only data in the clear is found.
    /// - Throws: ``ReadModelError/Code/storage``, ``ReadModelError/Code/log``.
    public init(directory: String, log: EventLog, findKey: KeyFinder? = nil) throws(ReadModelError) {
        self.findKey = findKey
        folder = Self.folder(in: directory)
        box = ModelBox(try DiscoveryFile.open(in: directory, log: log))
    }

    /// The model as a ``ModelRunner`` takes it.
    package func waiting(for log: EventLog) throws(ReadModelError) -> WaitingModel {
        try Exchange(box: box, standings: standings, folder: folder, log: log, findKey: findKey).waiting(file)
    }

    /// Reads one snapshot, on the calling thread.
    ///
    /// A page takes a fraction of a millisecond of the processor, and so does handing it to another thread and back: under load, each of
    /// the few readers was held while its answer waited in line for a thread, and half of all requests waited for a reader.
    func reading<Result>(_ body: (Database) throws -> Result) throws(ReadModelError) -> Result {
        while true {
            let file = file
            do { return try file.pool.read(body) } catch {
                // Another generation came into use, and the folder of this one may be gone: a new connection finds nothing to open.
                if file.generation == self.file.generation { throw ReadModelError(discovery: error) }
            }
        }
    }
}

extension Discovery {
    /// Campaigns, one page of them.
    ///
    /// - Parameters:
    ///   - after: ``FoundPage/next`` of the page before of the very same search; nil for the first.
    ///   - limit: 1 to 100; what lies outside is moved to the nearest.
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

    /// Shops, one page of them; else as ``campaigns(_:after:limit:)``.
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
    /// The condition on a campaign beyond place and words.
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
    /// The newest campaigns of each of these shops that are not over, newest first: those that run and those that have yet to start.
    ///
    /// However many a shop had, only those are looked at, which the rules bound, and nothing is read from the log.
    ///
    /// - Parameter limit: campaigns of a shop at most.
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
                if !rows.isEmpty { open[shop] = rows.map { CampaignID(UInt128(blob: $0[0])) } }
            }
            return open
        }
    }
}
