/// Rows that a search may still look at, and how many it has.
///
/// Every row that comes up in a walk counts, whether it fits or not: what a search costs is what it looks at. A search that has used up
/// its looks ends its page where it stands, and the page's cursor goes on from there.
final class Looks {
    private(set) var count = 0
    /// At which ``count`` the walk in progress ends.
    private var end = 0
    private let max: Int

    /// - Parameter max: rows that all walks of one search may look at.
    init(max: Int) {
        self.max = max
    }

    /// Begins a walk of its own bound.
    func begin() {
        end = min(count + SearchLimits.looksPerWalk, max)
    }

    /// Whether another row may be looked at in this walk; then it counts.
    func take() -> Bool {
        guard count < end else { return false }
        count += 1
        return true
    }

    /// Whether there is enough left for a whole walk.
    var hasAnotherWalk: Bool { max - count >= SearchLimits.looksPerWalk }
}

/// Rows that a walk has brought up.
struct Walk {
    /// Those that fit, in the order of the walk.
    var found: [Candidate] = []
    /// The last row that was looked at.
    var last: Candidate?
    /// Whether the walk ended before its rows did: there may be more.
    var isCut = false
}

/// Candidates in order, up to one more than a page holds.
struct Listed {
    var candidates: [Candidate]
    /// Where the walk was cut: the page goes on from here, where nothing says better.
    var end: DiscoveryCursor?
}
