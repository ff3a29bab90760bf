internal import Loyalty
internal import LoyaltyCodec

/// The terms of an import from the command line, checked, and the names that follow from them.
struct ImportTerms: Hashable, Sendable {
    /// The name of the shop, or what the names of the file's shops begin with.
    let name: String
    /// Stamps that fill a card.
    let goal: Int
    /// A card is redeemed as soon as it is full.
    let redeems: Bool

    /// - Throws: `ImportError.unusableName`, `.unusableGoal`.
    init(name: String, goal: Int, redeems: Bool) throws(ImportError) {
        if let fault = Loyalty.Limits.shopName.fault(in: name) { throw .unusableName("\(fault)") }
        guard name.utf8.count <= Limits.nameBytesMax else {
            throw .unusableName("must be at most \(Limits.nameBytesMax) bytes long, it has \(name.utf8.count)")
        }
        let goals = Loyalty.Limits.goalStamps
        guard goals.contains(goal) else { throw .unusableGoal(goal, allowed: goals) }
        (self.name, self.goal, self.redeems) = (name, goal, redeems)
    }

    /// Why a row cannot be imported under this name, or `nil`.
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

    /// The name of the shop that a value of the shop column stands for; a file without the column is one shop.
    func shopName(of shop: String) -> String {
        shop.isEmpty ? name : "\(name) \(shop)"
    }

    /// The identity text of a customer: one account for all shops of the file.
    func customerIdentity(of customer: String) -> String {
        "till:\(escapedName):customer:\(customer)"
    }

    /// The identity text of a shop's owner. A customer cannot be named so that the two meet.
    func ownerIdentity(of shop: String) -> String {
        "till:\(escapedName):owner:\(shop)"
    }

    /// The name without colons of its own, so that identities under two names never meet.
    private var escapedName: String {
        name.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%25")
            .split(separator: ":", omittingEmptySubsequences: false).joined(separator: "%3A")
    }
}

/// The idempotency marks of an import: made from what the file says, so that the same row of the same file is the same request
/// for ever, and a second import is nothing but retries.
struct ImportKeys: Sendable {
    let keys: Keys
    /// The name of the import; it stands in every key.
    let name: String

    /// The mark of one step, by whom it is taken and what it is about.
    ///
    /// - Parameter terms: what must be the same in every repetition; another value under the same parts is refused.
    func mark(of account: AccountID, _ parts: [String], terms: String = "") -> RequestMark {
        // Lengths before the texts: no two lists of parts give the same key.
        let key = ([name] + parts).reduce(into: "import") { $0 += "|\($1.utf8.count):\($1)" }
        return keys.mark(account: account, key: key, content: Array(terms.utf8))
    }

    /// An id that follows from a mark: unforeseeable without the keys, the same in every repetition.
    func id<Noun>(_ mark: RequestMark, at time: Instant) -> ID<Noun> {
        let random = (UInt64(truncatingIfNeeded: mark.request >> 64), UInt64(truncatingIfNeeded: mark.request))
        return ID(UUIDv7.make(at: time, random: random))
    }
}
