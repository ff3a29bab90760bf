internal import CommandService
internal import Loyalty
internal import LoyaltyCodec

struct ImportTerms: Hashable, Sendable {
    /// The shop's name, or the prefix of the shops' names.
    var name: String
    let goal: Int
    let redeems: Bool
    /// The phone number of the shops' owner. If nil, nobody can sign in to the owner's account of each shop, or of all if ``isShared``.
    let owner: E164Number?
    let isShared: Bool

    init(name: String, goal: Int, redeems: Bool, owner: E164Number? = nil, isShared: Bool = false) throws(ImportError) {
        if let fault = Loyalty.Limits.shopName.fault(in: name) { throw .unusableName("\(fault)") }
        guard name.utf8.count <= Limits.nameBytesMax else {
            throw .unusableName("must be at most \(Limits.nameBytesMax) bytes long, it has \(name.utf8.count)")
        }
        let goals = Loyalty.Limits.goalStamps
        guard goals.contains(goal) else { throw .unusableGoal(goal, allowed: goals) }
        (self.name, self.goal, self.redeems, self.owner, self.isShared) = (name, goal, redeems, owner, isShared)
    }

    func named(_ name: String) -> ImportTerms {
        var terms = self
        terms.name = name
        return terms
    }

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

    func shopName(of shop: String) -> String { shop.isEmpty ? name : "\(name) \(shop)" }

    func customerIdentity(of customer: String) -> String { "till:\(escapedName):customer:\(customer)" }

    /// The text that identifies a shop's owner: the phone number, or the import's name and, unless ``isShared``, the shop. No customer has
    /// it.
    func ownerIdentity(of shop: String) -> String { owner?.text ?? "till:\(escapedName):owner:\(isShared ? "" : shop)" }

    /// A part of every idempotency key. With another owner, the same file is a new import into other shops.
    var keyName: String { (owner.map { name + "|" + $0.text } ?? name) + (isShared ? "|one card" : "") }

    /// Colons and percent signs are escaped, so that the texts of two names are never equal.
    private var escapedName: String {
        name.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%25")
            .split(separator: ":", omittingEmptySubsequences: false).joined(separator: "%3A")
    }
}

/// The idempotency keys of an import, derived from the file's content, so that a second import consists only of retries.
struct ImportKeys: Sendable {
    let keys: Keys
    let name: String

    /// The mark of one step, made of the executing account and the parts of the step's name.
    ///
    /// - Parameter terms: must be the same in every repetition, or the service rejects it.
    func mark(of account: AccountID, _ parts: [String], terms: String = "") -> RequestMark {
        // Lengths precede the texts, so that no two lists of parts give the same key.
        let key = ([name] + parts).reduce(into: "import") { $0 += "|\($1.utf8.count):\($1)" }
        return keys.mark(account: account, key: key, content: Array(terms.utf8))
    }

    static func opening(of shop: String) -> [String] { [shop, "shop"] }

    /// An id that repeats with the step, and is unpredictable without the keys.
    func id<Noun>(_ mark: RequestMark, at time: Instant) -> ID<Noun> {
        let random = (UInt64(truncatingIfNeeded: mark.request >> 64), UInt64(truncatingIfNeeded: mark.request))
        return ID(UUIDv7.make(at: time, random: random))
    }
}
