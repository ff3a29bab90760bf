import Loyalty
import Search
import Testing
import WebPages

@testable import HTTPAPI

/// Tests that the work of making a site map is bounded, because anyone may request one.
@Suite("Site maps")
struct SiteMapTests {
    private let now = Instant(microseconds: 1_000_000_000)

    /// A page of a list that never ends. Finding its `addresses` addresses takes `looks` visits of rows.
    private func part(_ addresses: Int, looks: Int) -> SiteMaps.Part {
        SiteMaps.Part(addresses: (0..<addresses).map { "/c/\($0)" }, next: DiscoveryCursor(packed: 1), looks: looks)
    }

    @Test("A search that finds nothing to list visits a bounded number of rows, and is not repeated within a minute")
    func bounded() throws {
        let maps = SiteMaps()
        var looks = 0
        func addresses(after seconds: Int64) throws -> [String] {
            try maps.addresses(of: .campaigns, at: now.advanced(bySeconds: seconds)) { _ in
                looks += 4_096
                try #require(looks <= 1_000_000, "the search does not end")
                return part(0, looks: 4_096)
            }
        }
        #expect(try addresses(after: 0).isEmpty && looks == Limits.siteMapLooksMax)
        #expect(try addresses(after: 59).isEmpty && looks == Limits.siteMapLooksMax)
        #expect(try addresses(after: 60).isEmpty && looks == 2 * Limits.siteMapLooksMax)
    }

    @Test("A site map has at most a thousand addresses, and each list has a site map of its own")
    func addresses() throws {
        let maps = SiteMaps()
        var pages = 0
        let campaigns = try maps.addresses(of: .campaigns, at: now) { after in
            #expect((after == nil) == (pages == 0))
            pages += 1
            return part(99, looks: 100)
        }
        #expect(campaigns.count == 1_000 && pages == 11)
        let shops = try maps.addresses(of: .shops, at: now) { _ in SiteMaps.Part(addresses: ["/s/1"], next: nil, looks: 1) }
        #expect(shops == ["/s/1"])
    }

    @Test("A search that fails is repeated for the next request")
    func failure() throws {
        struct Broken: Error {}
        let maps = SiteMaps()
        #expect(throws: Broken.self) { try maps.addresses(of: .shops, at: now) { _ in throw Broken() } }
        let shops = try maps.addresses(of: .shops, at: now) { _ in SiteMaps.Part(addresses: ["/s/1"], next: nil, looks: 1) }
        #expect(shops == ["/s/1"])
    }
}
