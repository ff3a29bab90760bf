internal import Foundation
internal import GRDB
internal import Loyalty

/// The tables of the model. `n` is the position of the event that created a shop or campaign.
enum DiscoverySchema {
    /// MUST be raised whenever the same events would give other rows, for example by another splitting of words.
    static let version = 6

    /// Creates the tables.
    ///
    /// Former `places` and `changes` of favourites let later pages keep the order of the first, up to ``SearchLimits/changesMax`` changes
    /// and ``SearchLimits/placesPerShop`` places. `shared` has the further shops of a campaign, and `branches` their number. It is found
    /// there only while the shop is not hidden and has the campaign's owner.
    ///
    /// `rated` has the ratings that were not removed, of which an account's newest counts for a shop. `rank` orders shops by their means
    /// (``ShopRank``). Its indexes are unique, so that SQLite need not sort what it reads along them. `rerated` has the ranks before each
    /// change. `hours` is null if the shop names none (``HoursColumn``).
    static func create(in db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE mark (only INTEGER PRIMARY KEY CHECK (only = 1), position INTEGER NOT NULL, fingerprint INTEGER NOT NULL)
                    STRICT;
                INSERT INTO mark VALUES (1, 0, 0);
                CREATE TABLE shops (
                    n INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, owner BLOB NOT NULL, name TEXT NOT NULL, address TEXT NOT NULL,
                    hidden INTEGER NOT NULL DEFAULT 0, sealed INTEGER NOT NULL DEFAULT 0, closed INTEGER NOT NULL DEFAULT 0,
                    zone TEXT NOT NULL DEFAULT '', hours BLOB, ratings INTEGER NOT NULL DEFAULT 0, stars INTEGER NOT NULL DEFAULT 0,
                    rank INTEGER NOT NULL, published INTEGER NOT NULL DEFAULT 0) STRICT;
                CREATE UNIQUE INDEX shops_by_rank ON shops (rank);
                CREATE UNIQUE INDEX publishers_by_rank ON shops (rank) WHERE published = 1;
                CREATE TABLE rated (n INTEGER PRIMARY KEY, review BLOB NOT NULL UNIQUE, shop INTEGER NOT NULL, account BLOB NOT NULL,
                    stars INTEGER NOT NULL) STRICT;
                CREATE INDEX rated_by ON rated (shop, account, n);
                CREATE TABLE rerated (n INTEGER PRIMARY KEY, shop INTEGER NOT NULL, former INTEGER NOT NULL) STRICT;
                CREATE INDEX rerated_of ON rerated (shop, n);
                CREATE TABLE unopened (n INTEGER PRIMARY KEY, time INTEGER NOT NULL, shop INTEGER NOT NULL, contact BLOB NOT NULL) STRICT;
                CREATE TABLE places (
                    n INTEGER PRIMARY KEY, shop INTEGER NOT NULL, latitude REAL NOT NULL, longitude REAL NOT NULL, until INTEGER) STRICT;
                CREATE INDEX places_of ON places (shop);
                CREATE VIRTUAL TABLE boxes USING rtree (n, west, east, south, north);
                CREATE TABLE campaigns (
                    n INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, shop INTEGER NOT NULL, kind INTEGER NOT NULL, title TEXT NOT NULL,
                    details TEXT NOT NULL, reward TEXT NOT NULL, starts INTEGER NOT NULL, ends INTEGER NOT NULL,
                    ended INTEGER NOT NULL DEFAULT 0, favorites INTEGER NOT NULL DEFAULT 0, sealed INTEGER NOT NULL DEFAULT 0,
                    branches INTEGER NOT NULL DEFAULT 0) STRICT;
                CREATE TABLE shared (shop INTEGER NOT NULL, campaign INTEGER NOT NULL, PRIMARY KEY (shop, campaign))
                    STRICT, WITHOUT ROWID;
                CREATE INDEX shared_of ON shared (campaign);
                CREATE TABLE unopened_texts (
                    campaign INTEGER PRIMARY KEY, title ANY NOT NULL, details ANY NOT NULL, reward ANY NOT NULL) STRICT;
                CREATE INDEX campaigns_of ON campaigns (shop);
                CREATE INDEX campaigns_ending ON campaigns (shop, ends) WHERE ended = 0;
                CREATE INDEX campaigns_by_favorites ON campaigns (favorites, n);
                CREATE TABLE favorites (account BLOB NOT NULL, campaign INTEGER NOT NULL, n INTEGER NOT NULL,
                    PRIMARY KEY (account, campaign)) STRICT, WITHOUT ROWID;
                CREATE INDEX favorites_of ON favorites (account, n);
                CREATE TABLE changes (n INTEGER NOT NULL, campaign INTEGER NOT NULL, delta INTEGER NOT NULL,
                    PRIMARY KEY (n, campaign)) STRICT, WITHOUT ROWID;
                CREATE INDEX changes_of ON changes (campaign, n);
                CREATE VIRTUAL TABLE shop_words USING fts5 (words, tokenize = 'ascii', prefix = '1 2', columnsize = 0);
                CREATE VIRTUAL TABLE campaign_words USING fts5 (words, tokenize = 'ascii', prefix = '1 2', columnsize = 0);
                """)
    }
}

extension Coordinate {
    init(_ row: Row, at place: Int) throws {
        self.init(latitude: try row.decode(atIndex: place), longitude: try row.decode(atIndex: place + 1))
    }
}

extension UInt128 {
    var blob: Data { Data((0..<16).map { UInt8(truncatingIfNeeded: self >> UInt128(120 - 8 * $0)) }) }

    init(blob: Data) { self = blob.reduce(0) { $0 << 8 | UInt128($1) } }
}
