internal import Loyalty
internal import LoyaltyCodec

extension RuleBook {
    mutating func check(_ event: NoticePosted, _ fact: Fact) {
        requireAccount(event.author)
        require(event.author == fact.actor, "notice \(event.notice.text) was posted in somebody's name")
        if let shop = event.audience.shop {
            requireOpenCounterToday(shop)
            require(shopOwners[shop] == event.author, "notice \(event.notice.text) is to the customers of a shop that is another's")
        }
        require(notices.insert(event.notice).inserted, "notice \(event.notice.text) was posted before")
    }

    mutating func check(_ event: NoticeRead, _ fact: Fact) {
        requireAccount(event.account)
        require(event.account == fact.actor, "notice \(event.notice.text) was read in somebody's name")
        require(notices.contains(event.notice), "notice \(event.notice.text) was read and never posted")
        // Two random numbers in one: a sum that comes up twice is no chance.
        requireOnce(event.notice.value &+ event.account.value &* 3, .noticeRead, "notice \(event.notice.text) was read before")
    }

    mutating func check(_ event: FeedbackGiven, _ fact: Fact) {
        requireAccount(event.author)
        require(event.author == fact.actor, "feedback was given in somebody's name")
    }
}
