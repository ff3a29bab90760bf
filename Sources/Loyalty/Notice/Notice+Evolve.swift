extension Notice: Folded {
    public init?(opening fact: Fact) {
        guard case .noticePosted(let event) = fact.event else { return nil }
        self.init(id: event.notice, audience: event.audience, author: event.author, postedAt: fact.time)
    }

    /// Nothing changes a notice: who has read it is their own affair.
    public mutating func evolve(_ fact: Fact) {}
}
