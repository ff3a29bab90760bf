public import EventLog
internal import Loyalty
internal import LoyaltyCodec

/// The whole life of one thing: every event that names it, and of an account every one that it caused.
public struct LifeOf: Sendable {
    private let tags: [Tag]
    /// Of an account: what it did to others' things.
    private let actor: UInt128?

    /// - Parameter text: `card:card_01…`, `card:` and 32 hexadecimal digits, or the id alone; nil for what is no thing of ours.
    public init?(_ text: String) {
        guard let tag = Tag(text: text) ?? Self.tag(ofID: text), Self.kinds.contains(tag.kind) else { return nil }
        actor = tag.kind == .account ? tag.value : nil
        tags = tag.kind == .review ? [tag, Tag(.parent, tag.value), Tag(.thread, tag.value)] : [tag]
    }

    private static let kinds: Set<TagKind> = [.card, .code, .shop, .campaign, .account, .redemption, .review]
    private static let names = ["card", "code", "shop", "campaign", "account", "redemption", "review"]

    private static func tag(ofID text: String) -> Tag? { names.lazy.compactMap { Tag(text: "\($0):\(text)") }.first }

    /// Calls `body` with each event as a line, readable or JSON, until it returns false.
    ///
    /// - Returns: how many there were.
    /// - Throws: ``AuditError/Code/log``, ``AuditError/Code/event``.
    public func forEach(in log: EventLog, json: Bool, _ body: (String) -> Bool) throws(AuditError) -> Int {
        var count = 0
        do {
            try log.scan { position, record in
                guard isOf(record) else { return true }
                count += 1
                let fact = try LoyaltyCodec.decode(record, at: position)
                return body(json ? FactText.json(fact) : FactText.line(fact))
            }
        } catch { throw AuditError(any: error) }
        return count
    }

    private func isOf(_ record: borrowing Record) -> Bool {
        if let actor, record.actor == actor { return true }
        for tag in tags where record.has(tag) { return true }
        return false
    }
}
