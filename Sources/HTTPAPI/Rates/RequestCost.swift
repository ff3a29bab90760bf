import Synchronization

/// The work of one request that its answer's length does not show. A handler counts it, and `RateMiddleware` charges it to the client's
/// address. Any task may count.
final class RequestCost: Sendable {
    private let found = Atomic(0)
    private let looks = Atomic(0)

    /// Counts one search.
    ///
    /// - Parameters:
    ///   - found: the shops and campaigns in the answer, each of which was read from the log.
    ///   - looks: the rows that the search visited.
    func addSearch(found: Int, looks: Int) {
        self.found.add(found, ordering: .relaxed)
        self.looks.add(looks, ordering: .relaxed)
    }

    /// The tokens that the counted work costs in addition to the one of its request.
    var tokens: Int { found.load(ordering: .relaxed) / Limits.foundPerToken + looks.load(ordering: .relaxed) / Limits.looksPerToken }
}
