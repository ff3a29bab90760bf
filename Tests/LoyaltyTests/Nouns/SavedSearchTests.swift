import Loyalty
import Testing
import World

/// Accounts keep searches, and are told once a day what is new.
@Suite struct SavedSearchTests {
    private static let search = SearchID(100)
    private static let terms = Sealed(Array(repeating: 7, count: 40))
    private static let day: Int64 = 86_400

    private static func saved(_ number: UInt128 = 100, alerts: Bool = true, by account: AccountID = Sample.customer) -> LoyaltyEvent {
        .searchSaved(SearchSaved(search: SearchID(number), account: account, terms: terms, alerts: alerts))
    }

    private static func edited(_ terms: Sealed = terms, alerts: Bool) -> LoyaltyEvent {
        .searchEdited(SearchEdited(search: search, account: Sample.customer, terms: terms, alerts: alerts))
    }

    private static let removed = LoyaltyEvent.searchRemoved(SearchRemoved(search: search, account: Sample.customer))
    private static let seen = LoyaltyEvent.searchSeen(SearchSeen(search: search, account: Sample.customer))

    private static func save(_ number: UInt128 = 100, _ terms: Sealed = terms) -> Command {
        .search(.save(SaveSearch(search: SearchID(number), terms: terms, alerts: true)))
    }

    private static let remove = Command.search(.remove(RemoveSearch(search: search)))
    private static let see = Command.search(.see(SeeSearch(search: search)))
    private static func edit(_ terms: Sealed = terms, alerts: Bool) -> Command {
        .search(.edit(EditSearch(search: search, terms: terms, alerts: alerts)))
    }

    /// A search with alerts, and then a campaign of the rival's shop that it finds.
    private static let waiting = Scenario.running.given(saved(), Sample.published(CampaignID(23), at: Sample.rivalShop))

    private static func alert(
        _ past: Scenario, _ found: [CampaignID] = [CampaignID(23)], notice: UInt128 = 81, more: Bool = false
    ) -> Command {
        let after = past.world.searches[search]?.after ?? 0
        return .search(
            .alert(
                AlertSearch(
                    search: search, notice: NoticeID(notice), found: found, hasMore: more, after: after, through: past.world.position)))
    }

    private static func alerted(
        _ past: Scenario, _ found: [CampaignID] = [CampaignID(23)], notice: UInt128 = 81, more: Bool = false,
        dueAt: Instant = Sample.after(day)
    ) -> LoyaltyEvent {
        .searchAlerted(
            SearchAlerted(
                search: search, account: Sample.customer, notice: NoticeID(notice), dueAt: dueAt,
                through: SearchedThrough(past.world.position), campaigns: FoundCampaigns(found), hasMore: more))
    }

    @Test("A search is saved once, and belongs to its account")
    func saving() {
        let kept = Scenario.running.when(Self.save(), by: Sample.customer).then(Self.saved())
        kept.when(Self.save(), by: Sample.customer).thenNothing()
        kept.when(Self.save(), by: Sample.stranger).thenRejected(.notFound)
        for command in [Self.remove, Self.see, Self.edit(alerts: false)] {
            kept.when(command, by: Sample.stranger).thenRejected(.notFound)
            Scenario.running.when(command, by: Sample.customer).thenRejected(.notFound)
            kept.given(Self.removed).when(command, by: Sample.stranger).thenRejected(.notFound)
        }
        Scenario.running.when(Self.save(), by: Sample.ghost).thenRejected(.notFound)
    }

    @Test("An account keeps at most fifty searches, and removing one makes room")
    func limit() {
        let full = Scenario.running.given((0..<50).map { Self.saved(100 + $0) })
        full.when(Self.save(200), by: Sample.customer).thenInvalid("")
        full.when(Self.save(200), by: Sample.stranger).thenAccepted()
        full.given(Self.removed).when(Self.save(200), by: Sample.customer).thenAccepted()
    }

    @Test("Terms have a bounded size", arguments: [28, 1_025])
    func size(_ bytes: Int) {
        Scenario.running.when(Self.save(100, Sealed(Array(repeating: 1, count: bytes))), by: Sample.customer).thenInvalid("")
        Self.waiting.when(Self.edit(Sealed(Array(repeating: 1, count: bytes)), alerts: true), by: Sample.customer).thenInvalid("")
    }

    @Test("An edit has the whole search, and an edit that changes nothing is not recorded")
    func editing() {
        let other = Sealed(Array(repeating: 8, count: 29))
        Self.waiting.when(Self.edit(alerts: true), by: Sample.customer).thenNothing()
        let quiet = Self.waiting.when(Self.edit(alerts: false), by: Sample.customer).then(Self.edited(alerts: false))
        quiet.when(Self.edit(other, alerts: true), by: Sample.customer).then(Self.edited(other, alerts: true))
    }

    @Test("A removed search is removed once, and a look or an edit finds it no more")
    func removing() {
        let gone = Self.waiting.when(Self.remove, by: Sample.customer).then(Self.removed)
        gone.when(Self.remove, by: Sample.customer).thenNothing()
        gone.when(Self.see, by: Sample.customer).thenRejected(.notFound)
        gone.when(Self.edit(alerts: false), by: Sample.customer).thenRejected(.notFound)
    }

    @Test("After a day an alert names what is new, and the next one comes a day later")
    func alerts() {
        let early = Sample.after(Self.day - 1)
        Self.waiting.when(Self.alert(Self.waiting), by: .system, at: early).thenNothing()
        let due = Sample.after(Self.day)
        let told = Self.waiting.when(Self.alert(Self.waiting), by: .system, at: due).then(Self.alerted(Self.waiting))
        told.when(Self.alert(Self.waiting), by: .system, at: due).thenNothing()
        told.when(Self.alert(Self.waiting), by: .system, at: Sample.after(10 * Self.day)).thenNothing()
        let again = told.given([Sample.published(CampaignID(24), at: Sample.rivalShop)], at: due)
        let second = Self.alert(again, [CampaignID(24)], notice: 82)
        again.when(second, by: .system, at: Sample.after(2 * Self.day - 1)).thenNothing()
        // The clock was set back.
        again.when(second, by: .system, at: Sample.start).thenNothing()
        again.when(second, by: .system, at: Sample.after(2 * Self.day))
            .then(Self.alerted(again, [CampaignID(24)], notice: 82, dueAt: Sample.after(2 * Self.day)))
    }

    @Test("No alert of a muted, suspended or closed shop, of a campaign that is over, or of an unknown one")
    func silence() {
        let due = Sample.after(Self.day)
        let hidden: [LoyaltyEvent] = [
            .shopMuted(ShopMuted(shop: Sample.rivalShop, account: Sample.customer)), Sample.suspended(Sample.rivalShop),
            .shopClosed(ShopClosed(shop: Sample.rivalShop, redeemUntil: due, erasesContact: false)),
            .campaignEnded(CampaignEnded(campaign: CampaignID(23), shop: Sample.rivalShop)),
        ]
        for event in hidden {
            let past = Self.waiting.given(event)
            past.when(Self.alert(past), by: .system, at: due).thenNothing()
            let both = past.given(Sample.published(CampaignID(24)))
            both.when(Self.alert(both, [CampaignID(24), CampaignID(23)]), by: .system, at: due).then(Self.alerted(both, [CampaignID(24)]))
        }
        Self.waiting.when(Self.alert(Self.waiting, [CampaignID(99)]), by: .system, at: due).thenNothing()
        Self.waiting.when(Self.alert(Self.waiting), by: .system, at: Sample.afterDays(31)).thenNothing()
    }

    @Test("An alert that was searched before the search changed, or was seen, is not recorded")
    func stale() {
        let due = Sample.after(Self.day)
        let edited = Self.edited(Sealed(Array(repeating: 9, count: 30)), alerts: true)
        for event in [Self.seen, Self.edited(alerts: false), edited, Self.removed] {
            Self.waiting.given(event).when(Self.alert(Self.waiting), by: .system, at: due).thenNothing()
        }
        let quiet = Self.waiting.given(Self.edited(alerts: false))
        quiet.when(Self.alert(quiet), by: .system, at: due).thenNothing()
        Self.waiting.given(.accountErased(AccountErased(account: Sample.customer)))
            .when(Self.alert(Self.waiting), by: .system, at: due).thenNothing()
        Self.waiting.given(.accountSuspended(AccountSuspended(account: Sample.customer, reason: "Spam")))
            .when(Self.alert(Self.waiting), by: .system, at: due).thenNothing()
    }

    @Test("An edit begins the pause anew, and what was published before it is not named")
    func editedAlerts() {
        let past = Self.waiting.given([Self.edited(Sealed(Array(repeating: 9, count: 30)), alerts: true)], at: Sample.after(10))
        past.when(Self.alert(past), by: .system, at: Sample.after(Self.day)).thenNothing()
        #expect(past.world.searches[Self.search]?.after == past.world.position)
        #expect(past.world.searches[Self.search]?.seen == Self.waiting.world.searches[Self.search]?.seen, "an edit is no look")
    }

    @Test("An alert names at most twenty campaigns, and tells that there are more")
    func many() {
        let ids = (0..<21).map { CampaignID(30 + $0) }
        let past = Scenario.running.given([Self.saved()] + ids.map { Sample.published($0, at: Sample.rivalShop) })
        let due = Sample.after(Self.day)
        past.when(Self.alert(past, ids), by: .system, at: due).then(Self.alerted(past, Array(ids[..<20]), more: true))
        past.when(Self.alert(past, Array(ids[..<20])), by: .system, at: due).then(Self.alerted(past, Array(ids[..<20])))
        past.when(Self.alert(past, [ids[0]], more: true), by: .system, at: due).then(Self.alerted(past, [ids[0]], more: true))
    }

    @Test("An alert is a notice of its account, which reads it")
    func reading() {
        let told = Self.waiting.given(Self.alerted(Self.waiting))
        let notice = NoticeID(81)
        told.when(.readNotice(ReadNotice(notice: notice)), by: Sample.customer)
            .then(.noticeRead(NoticeRead(notice: notice, account: Sample.customer)))
        told.when(.withdrawNotice(WithdrawNotice(notice: notice)), by: Sample.customer).thenRejected(.notFound)
    }
}
