internal import Crypto
package import EventLog
internal import GRDB
internal import LoyaltyCodec
internal import Merkle
package import Projections
internal import ReadModels

/// The content of all tables of the search model, row by row in a fixed order, without data that is readable only with keys.
///
/// The content is a pure function of the events up to its position, so it is the same on every machine.
package struct DiscoveryContent: Sendable {
    /// One row: its key, and its values as SQLite writes them.
    package struct Line: Hashable, Sendable {
        package let key: String
        package let value: String
    }

    /// Each table's name with the query for its rows, whose first column is the row's key. A key that is a number is called `n`. The pages
    /// of SQLite's own indexes are not part of the content.
    private static let queries = [
        (
            "shops",
            """
            SELECT n, hex(id), iif(sealed, NULL, name), iif(sealed, NULL, address), hidden, sealed, closed, hex(owner) FROM shops ORDER BY n
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

    /// Selects the shops whose contact data is sealed (encrypted). The index entries of these shops depend on keys. A replay has no keys,
    /// so the content does not include these entries.
    private static let sealed = "SELECT n FROM shops WHERE sealed = 1"

    /// The number of positions of the log between two calls of the closure `step` in ``replayed(_:through:step:)``.
    private static let eventsPerStep: UInt64 = 16_384

    /// The position that the model has reached.
    package let mark: ModelMark
    /// The tables with their rows, in a fixed order.
    package let tables: [(name: String, lines: [Line])]

    /// The content of a row; nil if there is no such row.
    package func value(of key: String, in table: String) -> String? {
        tables.first { $0.name == table }?.lines.first { $0.key == key }?.value
    }

    /// The number of rows in all tables.
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

    /// The content of the generation in use, from one snapshot. A server may write meanwhile.
    ///
    /// - Throws: ``ReadModelError/Code/missing``, ``ReadModelError/Code/damaged``, ``ReadModelError/Code/storage``.
    package static func stored(in models: String) throws(ReadModelError) -> DiscoveryContent {
        let folder = DiscoveryFile.folder(in: models)
        while true {
            guard let generation = folder.current, generation.schemaVersion == DiscoverySchema.version else {
                throw ReadModelError(
                    .missing, model: Discovery.name, "there is no model of version \(DiscoverySchema.version) in \(folder.path)")
            }
            do throws(ReadModelError) { return try stored(in: folder, generation) } catch {
                // If a rebuild has put another generation into use, it may have removed the generation that was being read.
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

    /// The expected content at a position, rebuilt from the log in memory.
    ///
    /// - Parameter step: called with the position every 16,384 events; if it throws, the replay ends with its error.
    /// - Throws: ``ReadModelError``, and errors of `step`.
    package static func replayed(
        _ log: EventLog, through position: Position, step: (Position) throws -> Void = { _ in }
    ) throws -> DiscoveryContent {
        try replayed(log, through: position, step: step) { _, _ in }
    }

    /// The position of the last event that changed a row with a number as its key; nil if no event changed it.
    ///
    /// The row is read after each event. So a change is found also if a later event takes it back, as when a favourite is added and
    /// removed.
    ///
    /// - Parameter end: the position of the last event to look at.
    /// - Throws: like ``replayed(_:through:step:)``.
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

    /// - Parameter applied: called after each event that was applied, with its position.
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

    /// Lets SQLite check the database, then reads its content.
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

    /// A check that SQLite makes: the query, and the subject for an error.
    typealias Check = (query: String, what: String)
    /// The checks of the pages.
    static let quickChecks: [Check] = [("PRAGMA quick_check(1)", "the file")]
    /// The checks of the pages, of the indexes and of the R*Tree of places.
    static let wholeChecks: [Check] = [("PRAGMA integrity_check", "the file"), ("SELECT rtreecheck('boxes')", "the tree of places")]

    /// Makes SQLite check the database. Throws if it is damaged.
    static func check(_ db: Database, _ checks: [Check]) throws {
        for (query, what) in checks {
            let verdict = try String.fetchOne(db, sql: query) ?? "nothing"
            guard verdict == "ok" else { throw ReadModelError(.damaged, model: Discovery.name, "\(what): \(verdict)") }
        }
    }
}
