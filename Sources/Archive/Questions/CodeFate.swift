public import Audit
public import EventLog
public import Loyalty
internal import LoyaltyCodec

/// The use of a code, and everything else that became of it: a stamp code or a redemption code, by its id or by its keyed hash.
///
/// The log has no code as it was typed. Whoever has the keys makes the keyed hash of one, and this finds the event that has it.
public struct CodeFate: Sendable {
    /// The events of one code, as lines, and a verdict in words.
    public struct Answer: Hashable, Sendable {
        /// The code's id as text: `code_01…`.
        public let id: String
        /// Every event that names it, oldest first.
        public let lines: [String]
        /// `used by acct_01… at 2026-11-24T09:00:00Z, card card_01…`
        public let verdict: String
    }

    private let tag: Tag?
    private let secrets: [Tag]

    /// By id: `code_01…`, `rdm_01…` or with the kind before it; nil for what is no code's id.
    public init?(id text: String) {
        let found = ["code", "redemption"].lazy.compactMap { Tag(text: "\($0):\(text)") }.first ?? Tag(text: text)
        guard let found, found.kind == .code || found.kind == .redemption else { return nil }
        (tag, secrets) = (found, [])
    }

    /// By the keyed hashes of a typed code, as a stamp code and as a redemption code.
    public init(stampCode: Secret, redemptionCode: Secret) {
        (tag, secrets) = (nil, [Tag(.codeSecret, stampCode.value), Tag(.redemptionSecret, redemptionCode.value)])
    }

    /// - Returns: an answer for each code that it can be, the newest last: a code that expired may have been given again.
    /// - Throws: ``AuditError/Code/log``, ``AuditError/Code/event``.
    public func answers(in log: EventLog) throws(AuditError) -> [Answer] {
        try tags(in: log).map { (tag) throws(AuditError) in try answer(of: tag, in: log) }
    }

    private func tags(in log: EventLog) throws(AuditError) -> [Tag] {
        if let tag { return [tag] }
        var tags: [Tag] = []
        for secret in secrets {
            try EventListing(tag: secret).forEach(in: log) { fact in
                switch fact.event {
                case .codeIssued(let issued): tags.append(Tag(.code, issued.code.value))
                case .redemptionRequested(let requested): tags.append(Tag(.redemption, requested.redemption.value))
                case .milestoneRequested(let requested): tags.append(Tag(.redemption, requested.redemption.value))
                default: break
                }
                return true
            }
        }
        return tags
    }

    private func answer(of tag: Tag, in log: EventLog) throws(AuditError) -> Answer {
        var facts: [Fact] = []
        try EventListing(tag: tag).forEach(in: log) { fact in
            facts.append(fact)
            return true
        }
        return Answer(id: tag.text, lines: facts.map(FactText.line), verdict: Self.verdict(facts))
    }

    private static func verdict(_ facts: [Fact]) -> String {
        guard let first = facts.first else { return "there is no such code" }
        for fact in facts {
            switch fact.event {
            case .cardStamped(let stamped):
                return "used by \(stamped.holder.text) at \(fact.time.rfc3339), card \(stamped.card.text), position \(fact.position)"
            case .cardRedeemed(let redeemed):
                return "redeemed for \(redeemed.holder.text) by \(fact.actor.text) at \(fact.time.rfc3339), "
                    + "card \(redeemed.card.text), position \(fact.position)"
            case .milestoneRedeemed(let redeemed):
                return "redeemed for \(redeemed.holder.text) by \(fact.actor.text) at \(fact.time.rfc3339), "
                    + "milestone \(redeemed.milestone) of card \(redeemed.card.text), position \(fact.position)"
            case .codeDestroyed: return "withdrawn by \(fact.actor.text) at \(fact.time.rfc3339), never used"
            default: continue
            }
        }
        return "not used; shown by \(first.actor.text) at \(first.time.rfc3339)\(expiry(first))"
    }

    private static func expiry(_ fact: Fact) -> String {
        switch fact.event {
        case .codeIssued(let issued): ", valid until \(issued.expiresAt.rfc3339)"
        case .redemptionRequested(let requested): ", valid until \(requested.expiresAt.rfc3339)"
        case .milestoneRequested(let requested): ", valid until \(requested.expiresAt.rfc3339)"
        default: ""
        }
    }
}
