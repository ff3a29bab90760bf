public import Audit
public import EventLog
public import Loyalty
internal import LoyaltyCodec

/// The use of a stamp code or redemption code and its other events, by its id or by its keyed hash.
///
/// The log does not contain a code as text. With the keys, its keyed hash can be computed, by which this finds its events.
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

    /// By id: `code_01…`, `rdm_01…` or with the kind before it; nil if the text is not the id of a code.
    public init?(id text: String) {
        let found = ["code", "redemption"].lazy.compactMap { Tag(text: "\($0):\(text)") }.first ?? Tag(text: text)
        guard let found, found.kind == .code || found.kind == .redemption else { return nil }
        (tag, secrets) = (found, [])
    }

    /// By the keyed hashes of a typed code, as a stamp code and as a redemption code.
    public init(stampCode: Secret, redemptionCode: Secret) {
        (tag, secrets) = (nil, [Tag(.codeSecret, stampCode.value), Tag(.redemptionSecret, redemptionCode.value)])
    }

    /// - Returns: an answer for each possible code, the newest last. After a code has expired, the same text may have been issued again.
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
        var waits: String?
        for fact in facts {
            switch fact.event {
            case .paperStamped(let stamped): waits = "waits on paper \(stamped.paper.id.text), put there by \(fact.actor.text)"
            case .paperStampReversed: waits = "taken back from paper by \(fact.actor.text) at \(fact.time.rfc3339), never used"
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
        return waits ?? "not used; shown by \(first.actor.text) at \(first.time.rfc3339)\(expiry(first))"
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
