internal import LMDB
internal import Loyalty
internal import LoyaltyCodec
internal import ReadModels

extension ModelExport {
    /// Exports of the saved searches, each account's, and those whose next alert has a time.
    static let searches: [ModelExport] = [saved, savedByAccount, alertTimes]

    private static let saved = ModelExport(
        Searches.name, "searches", as: "saved_searches", "A saved search that was not removed.", savedColumns
    ) { SearchRow($1) }

    private static let savedColumns: [TableColumn<DecodedRow<SearchRow>>] = [
        .id("search", "Its id.") { $0.row.id() as SearchID }, .id("account", "Whose it is.") { AccountID($0.value.account) },
        .position("position", "Where it was saved.") { $0.value.position }, .time("saved_at", "When it was saved.") { $0.value.savedAt },
        .position("seen_position", "Campaigns published after it are new to the account.") { $0.value.seen },
        .time("seen_at", "When the account last saw what it finds.") { $0.value.seenAt },
        .boolean("alerts", "Whether notices name new campaigns.") { $0.value.alerts },
        .position("searched_position", "Where the last alert, or the last change of the search, was.") { $0.value.through },
        .time("alerted_at", "The next alert is due a day later.") { $0.value.alertedAt },
        .sealed("sealed_terms", "Its name and terms as base64, under the account's key.") { $0.value.terms },
    ]

    private static let savedByAccount = ModelExport(
        Searches.name, "accounts", as: "account_searches", "A saved search of an account, in the order of the log.",
        [
            .id("account", "The account.") { $0.id() as AccountID }, .position("position", "Where it was saved.") { $0.number(at: 16) },
            .id("search", "The search's id.") { $0.valueID() as SearchID },
        ])

    private static let alertTimes = ModelExport(
        Searches.name, "due", as: "search_alerts_due", "A saved search with alerts.",
        [
            .time("due_at", "From when the next alert is due.") { Instant(microseconds: Int64(clamping: $0.number(at: 8))) },
            .id("search", "The search's id.") { $0.id(at: 16) as SearchID },
            .id("account", "Whose it is.") { $0.valueID() as AccountID },
        ])
}
