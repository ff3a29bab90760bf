import Loyalty
import Search
import Synchronization
import WebPages

/// A cache of a minute for site maps, which anyone may request; caches may keep one for an hour anyway. The search has a limit of rows,
/// because a page of the search may be empty and still have a next one.
final class SiteMaps: Sendable {
    struct Part {
        let addresses: [String]
        let next: DiscoveryCursor?
        /// Visited rows of the search model.
        let looks: Int
    }

    private struct Kept {
        let addresses: [String]
        let until: Instant
    }

    private let kept = Mutex<[HomeQuery.List: Kept]>([:])

    /// The newest addresses, at most ``Limits/siteMapItemsMax``. Concurrent requests wait for the first one.
    ///
    /// - Parameters:
    ///   - now: by the steady clock.
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
