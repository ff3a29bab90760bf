import Loyalty
import Testing

@Suite("Scheduled notices")
struct ScheduledNoticeTests {
    private let due = Sample.afterDays(2)

    private var waiting: Scenario { Scenario.running.given(Sample.scheduled(for: due)) }

    @Test("A notice with a time is scheduled, and appears once at that time")
    func appears() {
        let written = Scenario.running.when(Sample.notify(at: due), by: Sample.owner).then(Sample.scheduled(for: due))
        let early = Instant(microseconds: due.microseconds - 1)
        written.when(Sample.publishNotice(), by: .system, at: early).thenNothing()
        written.when(Sample.read(), by: Sample.customer, at: early).thenRejected(.notFound)
        let shown = written.when(Sample.publishNotice(), by: .system, at: due).then(Sample.notified(dueAt: due))
        shown.when(Sample.publishNotice(), by: .system, at: Sample.afterDays(40)).thenNothing()
        shown.when(Sample.read(), by: Sample.customer, at: due).then(Sample.noticeRead())
    }

    @Test("After a month without the service a notice still appears, with the moment that it was due")
    func late() {
        waiting.when(Sample.publishNotice(), by: .system, at: Sample.afterDays(33)).then(Sample.notified(dueAt: due))
    }

    @Test("A time more than a minute ago or more than ninety days ahead is invalid")
    func bounds() {
        for seconds: Int64 in [-61, 90 * 86_400 + 1] {
            Scenario.running.when(Sample.notify(at: Sample.after(seconds)), by: Sample.owner).thenInvalid("publishAt")
        }
        let latest = Sample.afterDays(90)
        Scenario.running.when(Sample.notify(at: latest), by: Sample.owner).then(Sample.scheduled(for: latest))
        Scenario.running.when(Sample.notify(at: Sample.after(-60)), by: Sample.owner).then(Sample.notified())
        Scenario.running.when(Sample.notify(at: Sample.start), by: Sample.owner).then(Sample.notified())
    }

    @Test("Only its author withdraws a notice, and only before its time")
    func withdrawal() {
        let gone = waiting.when(Sample.withdrawNotice(), by: Sample.owner, at: Sample.afterDays(1)).then(Sample.withdrawn())
        gone.when(Sample.publishNotice(), by: .system, at: due).thenNothing()
        gone.when(Sample.read(), by: Sample.customer, at: due).thenRejected(.notFound)
        for other in [Sample.staff, Sample.customer, Sample.rival] {
            waiting.when(Sample.withdrawNotice(), by: other).thenRejected(.notFound)
        }
        // The notice has appeared at its due time, whether or not the writer has recorded that yet.
        waiting.when(Sample.withdrawNotice(), by: Sample.owner, at: due).thenRejected(.notFound)
        waiting.given(Sample.notified(dueAt: due)).when(Sample.withdrawNotice(), by: Sample.owner, at: due).thenRejected(.notFound)
        Scenario.running.when(Sample.withdrawNotice(), by: Sample.owner).thenRejected(.notFound)
    }

    @Test("A notice of an erased or suspended author, or of a suspended or closed shop, lapses")
    func lapse() {
        let erased = waiting.given(.accountErased(AccountErased(account: Sample.owner)))
        let suspended = waiting.given(Sample.suspended())
        let silenced = waiting.given(.accountSuspended(AccountSuspended(account: Sample.owner, reason: "Sells stamps")))
        for past in [erased, suspended, silenced] {
            let over = past.when(Sample.publishNotice(), by: .system, at: due).then(Sample.lapsed(dueAt: due))
            over.when(Sample.publishNotice(), by: .system, at: due).thenNothing()
            over.when(Sample.withdrawNotice(), by: Sample.owner, at: due).thenRejected(.notFound)
        }
        let again = suspended.given(Sample.reinstated())
        again.when(Sample.publishNotice(), by: .system, at: due).then(Sample.notified(dueAt: due))
    }

    @Test("A suspended shop schedules nothing, and its owner withdraws what is scheduled")
    func suspension() {
        let suspended = waiting.given(Sample.suspended())
        suspended.when(Sample.notify(NoticeID(81), at: due), by: Sample.owner).thenRejected(.suspended)
        suspended.when(Sample.withdrawNotice(), by: Sample.owner).then(Sample.withdrawn())
    }

    @Test("Only the campaign's own shop posts notices to the holders of its cards")
    func holders() {
        let audience = NoticeAudience.holders(Sample.campaign, of: Sample.shop)
        Scenario.running.when(Sample.notify(to: audience), by: Sample.owner).then(Sample.notified(to: audience))
        Scenario.running.when(Sample.notify(to: audience), by: Sample.customer).thenRejected(.forbidden)
        for (campaign, shop) in [(Sample.rivalCampaign, Sample.shop), (CampaignID(77), Sample.shop), (Sample.promotion, Sample.shop)] {
            Scenario.running.when(Sample.notify(to: .holders(campaign, of: shop)), by: Sample.owner).thenRejected(.notFound)
        }
    }

    @Test("Scheduling the same notice again changes nothing")
    func again() {
        waiting.when(Sample.notify(at: due), by: Sample.owner).thenNothing()
        waiting.when(Sample.notify(to: .all, at: due), by: Sample.owner).thenRejected(.notFound)
    }
}
