import Foundation
import Loyalty
import Testing

@testable import WebPages

/// The twelve colors of shops, measured as WCAG 2.2 does.
@Suite struct ShopColorTests {
    private static let style = Asset.all[Asset.path(of: "style.css")].map { String(decoding: $0.plain, as: UTF8.self) } ?? ""

    /// The tokens of light pages, or of dark ones, as the style sheet states them.
    private static func tokens(isDark: Bool) throws -> [String: [UInt8]] {
        let blocks = style.components(separatedBy: ":root {").dropFirst().map { $0.prefix { $0 != "}" } }
        let block = try #require(isDark ? blocks.dropFirst().first : blocks.first)
        let pairs = block.matches(of: /--([a-z-]+): #([0-9a-f]{6});/).map { (String($0.1), bytes(String($0.2))) }
        return Dictionary(pairs) { first, _ in first }
    }

    private static func bytes(_ hex: String) -> [UInt8] {
        stride(from: 0, to: 6, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
    }

    private static func luminance(_ color: [UInt8]) -> Double {
        let linear = color.map { byte -> Double in
            let share = Double(byte) / 255
            return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }

    private static func contrast(_ one: [UInt8], _ other: [UInt8]) -> Double {
        let (dim, bright) = (min(luminance(one), luminance(other)), max(luminance(one), luminance(other)))
        return (bright + 0.05) / (dim + 0.05)
    }

    @Test("Each color is readable as text on every surface, and as a ground of text", arguments: ShopColor.allCases, [false, true])
    func readable(_ color: ShopColor, isDark: Bool) throws {
        let (tokens, tone) = (try Self.tokens(isDark: isDark), try #require(ShopTone(of: color)))
        let shown = isDark ? tone.dark : tone.light
        for token in ["paper", "surface", "sunken", "on-leaf"] {
            let ground = try #require(tokens[token], "the style sheet has no --\(token)")
            #expect(Self.contrast(shown, ground) >= 4.5, "\(color.name) on \(token)")
        }
        // Codes and paper are white on dark screens too.
        if !isDark { #expect(Self.contrast(shown, [255, 255, 255]) >= 4.5) }
    }

    @Test("Each color is a mark that stands out from lines", arguments: ShopColor.allCases, [false, true])
    func marks(_ color: ShopColor, isDark: Bool) throws {
        let (tokens, tone) = (try Self.tokens(isDark: isDark), try #require(ShopTone(of: color)))
        #expect(Self.contrast(isDark ? tone.dark : tone.light, try #require(tokens["line"])) >= 3)
    }

    @Test("No two colors have the same tone, and the style sheet has no others")
    func twelve() {
        let tones = ShopColor.allCases.compactMap { ShopTone(of: $0) }
        #expect(Set(tones.map(\.light)).count == 12 && Set(tones.map(\.dark)).count == 12)
        let named = Self.style.matches(of: #/\n\.tint-([a-z]+) \{/#).map { String($0.1) }
        #expect(named == ShopColor.allCases.map(\.name))
    }

    @Test("A script offers the same colors in the same order")
    func offered() throws {
        let script = try #require(Asset.all[Asset.path(of: "fields.js")])
        let text = String(decoding: script.plain, as: UTF8.self)
        let list = try #require(text.firstMatch(of: /COLORS = \[([^\]]*)\]/)).1
        #expect(list.matches(of: /"([a-z]+)"/).map { String($0.1) } == ShopColor.allCases.map(\.name))
    }

    @Test("A shop with a color and a logo shows both on its campaign's page, and others show neither")
    func pages() {
        var shop = Shop(
            id: ShopID(1), owner: AccountID(2), contact: .erased, images: [], isSuspended: false, openedAt: Instant(microseconds: 0),
            version: 1)
        func page(_ look: ShopLook, logo: String?) -> String {
            shop.look = look
            let terms = CampaignTerms<TypedText>(
                title: "Ten", details: "", goal: 10, reward: "a cup", startsAt: Instant(microseconds: 0),
                endsAt: Instant(microseconds: 9), image: nil, caps: .none)
            let campaign = Campaign(id: CampaignID(3), shop: ShopID(1), kind: .stampCard, terms: terms, endedAt: nil, version: 2)
            let view = WebPage.CampaignView(
                campaign: campaign, shop: shop, rating: RatingView(average: nil, count: 0, histogram: []), favorites: 0, image: nil,
                logo: logo, clock: ShopClock(now: Instant(microseconds: 0)) { _ in 0 })
            return WebPage.campaign(view, in: PageFrame(language: .english, path: "/", publicURL: "https://tea.example")).html
        }
        let chosen = page(ShopLook(color: .teal), logo: "/v1/images/img_1")
        #expect(chosen.contains(#"class="card tinted tint-teal""#) && chosen.contains(#"src="/v1/images/img_1?width=160""#))
        let plain = page(.plain, logo: nil)
        #expect(!plain.contains("tinted") && !plain.contains(#"class="logo""#))
    }
}
