internal import Loyalty
internal import LoyaltyCodec

extension RuleBook {
    mutating func check(_ event: NoticePosted, _ fact: Fact) {
        requireAccount(event.author)
        if let dueAt = event.dueAt {
            checkDue(event.notice, by: event.author, at: dueAt, fact)
            let known = scheduled.removeValue(forKey: event.notice)
            let isAsWritten = known.map { $0.title == event.title && $0.text == event.text && $0.audience == event.audience } ?? true
            require(isAsWritten, "notice \(event.notice.text) is not as its author wrote it")
            require(!people.erased.contains(event.author), "notice \(event.notice.text) appeared after its author was erased")
            let isSilenced = people.suspended.contains(event.author)
            require(!isSilenced, "notice \(event.notice.text) appeared while its author was suspended")
        } else {
            require(event.author == fact.actor, "notice \(event.notice.text) was posted in somebody's name")
            require(scheduled[event.notice] == nil, "notice \(event.notice.text) was posted before it was due")
        }
        // An author who lost the shop or the role before a scheduled notice is due may not post it.
        requireVoice(event.audience, event.author, event.notice)
        if let shop = event.audience.shop { requireOpenCounterToday(shop) }
        require(notices.insert(event.notice).inserted, "notice \(event.notice.text) was posted before")
    }

    mutating func check(_ event: NoticeScheduled, _ fact: Fact) {
        requireOwn(event.author, fact, "notice \(event.notice.text) was scheduled in somebody's name")
        if let shop = event.audience.shop { requireOpenCounterToday(shop) }
        requireVoice(event.audience, event.author, event.notice)
        let lead = Int64(Limits.noticeLeadDaysMax) * Self.daySeconds
        requireSoon(event.publishAt, within: lead, fact, "notice \(event.notice.text) is due at \(event.publishAt.rfc3339)")
        let isNew = !notices.contains(event.notice) && scheduled[event.notice] == nil
        require(isNew, "notice \(event.notice.text) was written before")
        scheduled[event.notice] = event
    }

    mutating func check(_ event: NoticeWithdrawn, _ fact: Fact) {
        let known = scheduled.removeValue(forKey: event.notice)
        require(known != nil, "notice \(event.notice.text) was withdrawn and not scheduled")
        let isOwn = event.author == fact.actor && known.map { $0.author == fact.actor } ?? true
        require(isOwn, "notice \(event.notice.text) was withdrawn by somebody else")
        if let known { require(fact.time < known.publishAt, "notice \(event.notice.text) was withdrawn after it was due") }
    }

    mutating func check(_ event: NoticeLapsed, _ fact: Fact) {
        checkDue(event.notice, by: event.author, at: event.dueAt, fact)
        scheduled[event.notice] = nil
    }

    mutating func check(_ event: NoticeRead, _ fact: Fact) {
        requireOwn(event.account, fact, "notice \(event.notice.text) was read in somebody's name")
        require(notices.contains(event.notice), "notice \(event.notice.text) was read and never posted")
        // A sum of two random ids, practically unique for each pair.
        requireOnce(event.notice.value &+ event.account.value &* 3, .noticeRead, "notice \(event.notice.text) was read before")
    }

    /// Requires that the system acts on a notice that `author` scheduled for `dueAt`, and not before.
    private mutating func checkDue(_ notice: NoticeID, by author: AccountID, at dueAt: Instant, _ fact: Fact) {
        require(fact.actor == .system, "notice \(notice.text) was due, and \(fact.actor.text) acted on it")
        let known = scheduled[notice]
        require(known != nil, "notice \(notice.text) was due and not scheduled")
        require(known.map { $0.author == author && $0.publishAt == dueAt } ?? true, "notice \(notice.text) was due at another time")
        require(dueAt <= fact.time, "notice \(notice.text) was due later")
    }

    /// Requires that the author owns or manages the audience's shop, and that the campaign belongs to that shop.
    private mutating func requireVoice(_ audience: NoticeAudience, _ author: AccountID, _ notice: NoticeID) {
        guard let shop = audience.shop else { return }
        require(manages(shop, author), "notice \(notice.text) is to the customers of a shop that is another's")
        guard let campaign = audience.campaign else { return }
        require(campaigns[campaign]?.shop == shop, "notice \(notice.text) is to holders of another shop's cards")
    }
}

extension RuleBook {
    mutating func check(_ event: FeedbackGiven, _ fact: Fact) {
        requireOwn(event.author, fact, "feedback was given in somebody's name")
    }
}
