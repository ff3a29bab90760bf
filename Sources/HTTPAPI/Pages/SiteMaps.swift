import Loyalty
import Search
import Synchronization
import WebPages

/// A cache of the addresses in site maps, which are kept in memory for a minute.
///
/// Anyone may request a site map, so a request must cost little. A delay of a minute does no harm, because caches may keep a site map for
/// an hour. The search for the addresses ends after a limited number of rows. Without this limit it could visit every row of the search
/// model, because a page of the search may be empty and still have a next page.
final class SiteMaps: Sendable {
    /// One page of the results of the search for a site map's addresses.
    struct Part {
        let addresses: [String]
        let next: DiscoveryCursor?
        /// The number of rows of the search model that were visited for this page of results.
        let looks: Int
    }

    private struct Kept {
        let addresses: [String]
        let until: Instant
    }

    private let kept = Mutex<[HomeQuery.List: Kept]>([:])

    /// The addresses of the newest campaigns or of the newest shops, depending on the list; at most ``Limits/siteMapItemsMax``.
    ///
    /// Concurrent requests wait for the first one, which costs them no more than finding the same addresses themselves.
    ///
    /// - Parameters:
    ///   - now: the time by the steady clock.
    ///   - part: finds the page after a cursor.
    func addresses(of list: HomeQuery.List, at now: Instant, _ part: (DiscoveryCursor?) throws -> Part) throws -> [String] {
        try kept.withLock { kept in
            if let known = kept[list], now < known.until { return known.addresses }
            let found = try Self.walk(part)
            kept[list] = Kept(addresses: found, until: now.advanced(bySeconds: Limits.siteMapSeconds))
            return found
        }
    }

    private static func walk(_ part: (DiscoveryCursor?) throws -> Part) throws -> [String] {
        var (addresses, after, looks): ([String], DiscoveryCursor?, Int) = ([], nil, 0)
        repeat {
            let found = try part(after)
            addresses += found.addresses
            after = found.next
            looks += found.looks
        } while after != nil && addresses.count < Limits.siteMapItemsMax && looks < Limits.siteMapLooksMax
        return Array(addresses.prefix(Limits.siteMapItemsMax))
    }
}
