internal import CommandService
internal import Loyalty
internal import LoyaltyCodec

/// The terms of an import from the command line, validated, and the names derived from them.
struct ImportTerms: Hashable, Sendable {
    /// The name of the shop, or the prefix of the names of the file's shops.
    var name: String
    /// The number of stamps that fill a card.
    let goal: Int
    /// Whether a card is redeemed as soon as it is full.
    let redeems: Bool
    /// The phone number whose account owns the shops. If it is nil, each shop gets its own owner account, with which nobody can sign in. If
    /// ``isShared`` is true, all shops get one such account.
    let owner: E164Number?
    /// Whether all shops of the file have one owner and one campaign, so that a card is collected and redeemed at any of them.
    let isShared: Bool

    /// Validates the terms.
    ///
    /// - Throws: `ImportError.unusableName`, `.unusableGoal`.
    init(name: String, goal: Int, redeems: Bool, owner: E164Number? = nil, isShared: Bool = false) throws(ImportError) {
        if let fault = Loyalty.Limits.shopName.fault(in: name) { throw .unusableName("\(fault)") }
        guard name.utf8.count <= Limits.nameBytesMax else {
            throw .unusableName("must be at most \(Limits.nameBytesMax) bytes long, it has \(name.utf8.count)")
        }
        let goals = Loyalty.Limits.goalStamps
        guard goals.contains(goal) else { throw .unusableGoal(goal, allowed: goals) }
        (self.name, self.goal, self.redeems, self.owner, self.isShared) = (name, goal, redeems, owner, isShared)
    }

    /// These terms under another name.
    func named(_ name: String) -> ImportTerms {
        var terms = self
        terms.name = name
        return terms
    }

    /// The reason why a row cannot be imported under this name; `nil` if it can.
    func complaint(about row: VisitRow) -> String? {
        if let fault = Loyalty.Limits.shopName.fault(in: shopName(of: row.shop)) {
            return "the shop's name, with \"\(name)\" before it, \(fault)"
        }
        let identities = [ownerIdentity(of: row.shop)] + (row.customer.map { [customerIdentity(of: $0)] } ?? [])
        guard identities.allSatisfy({ $0.utf8.count <= Limits.identityBytesMax }) else {
            return "the customer or the shop is too long: with \"\(name)\" at most \(Limits.identityBytesMax) bytes"
        }
        return nil
    }

    /// The name of the shop for a value of the shop column. A file without that column has one shop.
    func shopName(of shop: String) -> String {
        shop.isEmpty ? name : "\(name) \(shop)"
    }

    /// The text that identifies a customer to the service. A customer has one account for all shops of the file.
    func customerIdentity(of customer: String) -> String {
        "till:\(escapedName):customer:\(customer)"
    }

    /// The text that identifies a shop's owner to the service: the phone number ``owner``. Without an owner, the text is derived from the
    /// import's name and, unless ``isShared`` is true, from the shop. It differs from every customer's text.
    func ownerIdentity(of shop: String) -> String {
        owner?.text ?? "till:\(escapedName):owner:\(isShared ? "" : shop)"
    }

    /// The name of the import, which is part of every idempotency key. It depends on ``owner`` and ``isShared``. So an import of the same
    /// file with another owner is a new import into other shops, and not a repetition.
    var keyName: String { (owner.map { name + "|" + $0.text } ?? name) + (isShared ? "|one card" : "") }

    /// The name with its colons and percent signs escaped, so that the identity texts of two names are never equal.
    private var escapedName: String {
        name.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%25")
            .split(separator: ":", omittingEmptySubsequences: false).joined(separator: "%3A")
    }
}

/// The idempotency keys of an import, derived from the file's content. The same row of the same file is always the same request, so that a
/// second import consists only of retries.
struct ImportKeys: Sendable {
    let keys: Keys
    /// The name of the import, which is part of every key.
    let name: String

    /// The idempotency mark of one step of the import, made of the account that executes the step and the parts of the step's name.
    ///
    /// - Parameter terms: must be the same in every repetition of the step. The service rejects the same parts with other terms.
    func mark(of account: AccountID, _ parts: [String], terms: String = "") -> RequestMark {
        // Lengths precede the texts, so that no two lists of parts give the same key.
        let key = ([name] + parts).reduce(into: "import") { $0 += "|\($1.utf8.count):\($1)" }
        return keys.mark(account: account, key: key, content: Array(terms.utf8))
    }

    /// The parts of the name of the step that opens a shop.
    static func opening(of shop: String) -> [String] { [shop, "shop"] }

    /// An id derived from a mark. It is the same in every repetition of the step, and unpredictable without the keys.
    func id<Noun>(_ mark: RequestMark, at time: Instant) -> ID<Noun> {
        let random = (UInt64(truncatingIfNeeded: mark.request >> 64), UInt64(truncatingIfNeeded: mark.request))
        return ID(UUIDv7.make(at: time, random: random))
    }
}
