internal import Loyalty
internal import LoyaltyCodec

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
