internal import Crypto
package import EventLog
internal import GRDB
internal import LoyaltyCodec
internal import Merkle
package import Projections
internal import ReadModels

/// The content of all tables of the search model in a fixed order, without data that needs keys: a pure function of the events.
package struct DiscoveryContent: Sendable {
    /// One row: its key, and its values as SQLite writes them.
    package struct Line: Hashable, Sendable {
        package let key: String
        package let value: String
    }

    /// Each table's name and query, whose first column is the row's key, called `n` if it is a number.
    private static let queries = [
        (
            "shops",
            """
            SELECT n, hex(id), iif(sealed, NULL, name), iif(sealed, NULL, address), hidden, sealed, closed, hex(owner), zone, hex(hours),
                hours IS NULL, ratings, stars, rank, published
            FROM shops ORDER BY n
            """
        ),
        ("places", "SELECT n, shop, latitude, longitude, until FROM places WHERE shop NOT IN (\(sealed)) ORDER BY n"),
        (
            "boxes",
            """
            SELECT n, west, east, south, north FROM boxes WHERE n NOT IN (SELECT n FROM places WHERE shop IN (\(sealed))) ORDER BY n
            """
        ),
        (
            "campaigns",
            """
            SELECT n, hex(id), shop, kind, iif(sealed, NULL, title), iif(sealed, NULL, details), iif(sealed, NULL, reward), starts, ends,
                ended, favorites, sealed, branches
            FROM campaigns ORDER BY n
            """
        ),
        ("shared", "SELECT shop || ' ' || campaign FROM shared ORDER BY shop, campaign"),
        ("favorites", "SELECT hex(account) || ' ' || campaign, n FROM favorites ORDER BY account, campaign"),
        ("rated", "SELECT n, hex(review), shop, hex(account), stars FROM rated ORDER BY n"),
        ("rerated", "SELECT n, shop, former FROM rerated ORDER BY n"),
        ("changes", "SELECT n || ' ' || campaign, delta FROM changes ORDER BY n, campaign"),
        ("shop_words", "SELECT rowid AS n, words FROM shop_words WHERE rowid NOT IN (\(sealed)) ORDER BY rowid"),
        (
            "campaign_words",
            """
            SELECT rowid AS n, words FROM campaign_words
            WHERE rowid NOT IN (SELECT n FROM campaigns WHERE sealed = 1 OR shop IN (\(sealed))) ORDER BY rowid
            """
        ),
    ]

    /// Shops whose contact data is sealed. Their index entries depend on keys, so they are left out.
    private static let sealed = "SELECT n FROM shops WHERE sealed = 1"

    private static let eventsPerStep: UInt64 = 16_384

    package let mark: ModelMark
    package let tables: [(name: String, lines: [Line])]

    /// The content of a row; nil if there is no such row.
    package func value(of key: String, in table: String) -> String? {
        tables.first { $0.name == table }?.lines.first { $0.key == key }?.value
    }

    package var rows: Int { tables.reduce(0) { $0 + $1.lines.count } }

    /// SHA-256 of the whole content, in hexadecimal.
    package var digest: String {
        var hash = SHA256()
        for table in tables {
            for text in [table.name] + table.lines.flatMap({ [$0.key, $0.value] }) {
                hash.update(data: Array("\(text.utf8.count):\(text)".utf8))
            }
        }
        return Hexadecimal.text(hash.finalize())
    }

    /// The content of the generation in use, from one snapshot, while a server may write.
    package static func stored(in models: String) throws(ReadModelError) -> DiscoveryContent {
        let folder = DiscoveryFile.folder(in: models)
        while true {
            guard let generation = folder.current, generation.schemaVersion == DiscoverySchema.version else {
                throw ReadModelError(
                    .missing, model: Discovery.name, "there is no model of version \(DiscoverySchema.version) in \(folder.path)")
            }
            do throws(ReadModelError) { return try stored(in: folder, generation) } catch {
                // A rebuild may have removed the generation that was being read.
                if folder.current == generation { throw error }
            }
        }
    }

    private static func stored(in folder: ModelFolder, _ generation: Generation) throws(ReadModelError) -> DiscoveryContent {
        var configuration = Configuration()
        configuration.readonly = true
        do {
            let queue = try DatabaseQueue(path: DiscoveryFile.path(in: folder.path(of: generation)), configuration: configuration)
            defer { try? queue.close() }
            return try queue.read { try DiscoveryContent(checked: $0) }
        } catch {
            throw ReadModelError(discovery: error)
        }
    }

    /// The expected content at a position, replayed in memory.
    ///
    /// - Parameter step: called every 16,384 events; a throw ends the replay.
    /// - Throws: ``ReadModelError``, and errors of `step`.
    package static func replayed(
        _ log: EventLog, through position: Position, step: (Position) throws -> Void = { _ in }
    ) throws -> DiscoveryContent {
        try replayed(log, through: position, step: step) { _, _ in }
    }

    /// The last event, up to `end`, that changed a row with a number as key, even if the change was taken back.
    package static func lastChange(
        ofRow key: Int64, in table: String, _ log: EventLog, through end: Position, step: (Position) throws -> Void = { _ in }
    ) throws -> Position? {
        guard let query = queries.first(where: { $0.0 == table })?.1 else { return nil }
        var (last, row) = (Position?.none, [DatabaseValue]())
        _ = try replayed(log, through: end, step: step) { db, position in
            let statement = try db.cachedStatement(sql: "SELECT * FROM (\(query)) WHERE n = ?")
            let next = try Row.fetchOne(statement, arguments: [key]).map { Array($0.databaseValues) } ?? []
            if next != row { last = position }
            row = next
        }
        return last
    }

    private static func replayed(
        _ log: EventLog, through position: Position, step: (Position) throws -> Void, applied: (Database, Position) throws -> Void
    ) throws -> DiscoveryContent {
        do {
            let queue = try DatabaseQueue()
            let wanted = TypeFilter(Discovery.eventTypes)
            try queue.write { db in
                try DiscoverySchema.create(in: db)
                guard position > .start else { return }
                try log.scan(after: .start, through: position) { (position, record) throws -> Bool in
                    if position.rawValue % eventsPerStep == 0 { try step(position) }
                    if wanted.contains(record.type) {
                        try db.apply(try LoyaltyCodec.decode(record, at: position))
                        try applied(db, position)
                    }
                    return true
                }
                if let mark = try ModelMark(position, in: log) { try db.put(mark) }
            }
            return try queue.read { try DiscoveryContent($0) }
        } catch let error as DatabaseError {
            throw ReadModelError(discovery: error)
        }
    }

    init(checked db: Database) throws {
        try Self.check(db, Self.wholeChecks)
        try self.init(db)
    }

    private init(_ db: Database) throws {
        mark = try db.mark()
        tables = try Self.queries.map { name, query in
            let lines = try Row.fetchAll(db, sql: query).map { row in
                let values = Array(row.databaseValues)
                return Line(key: "\(values[0])", value: values.dropFirst().map { "\($0)" }.joined(separator: ", "))
            }
            return (name, lines)
        }
    }

    /// A query by which SQLite checks, and the subject for an error.
    typealias Check = (query: String, what: String)
    static let quickChecks: [Check] = [("PRAGMA quick_check(1)", "the file")]
    static let wholeChecks: [Check] = [("PRAGMA integrity_check", "the file"), ("SELECT rtreecheck('boxes')", "the tree of places")]

    static func check(_ db: Database, _ checks: [Check]) throws {
        for (query, what) in checks {
            let verdict = try String.fetchOne(db, sql: query) ?? "nothing"
            guard verdict == "ok" else { throw ReadModelError(.damaged, model: Discovery.name, "\(what): \(verdict)") }
        }
    }
}
