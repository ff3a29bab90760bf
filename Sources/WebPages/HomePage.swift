public import Loyalty
internal import LoyaltyCodec

/// A search on the home page, from the parameters of its address.
public struct HomeQuery: Sendable {
    /// The lists of which the home page shows one.
    public enum List: String, Sendable, CaseIterable {
        case campaigns
        case shops
    }

    public var list: List
    public var text: String?
    public var kind: CampaignKind?
    /// `newest`, `popular`, `rating` or `distance`.
    public var sort: String?
    /// `LATITUDE,LONGITUDE`, as in the API; nil to search everywhere.
    public var near: String?
    /// Whether to find only what is open now.
    public var isOpen: Bool

    public init(list: List, text: String?, kind: CampaignKind?, sort: String?, near: String?, isOpen: Bool = false) {
        (self.list, self.text, self.kind, self.sort, self.near, self.isOpen) = (list, text, kind, sort, near, isOpen)
    }

    /// With a cursor, the address of a later page.
    func address(after cursor: String? = nil) -> String {
        let query = (fields + [("cursor", cursor)]).compactMap { name, value in value.map { "\(name)=\(MapLinks.encoded($0))" } }
        return query.isEmpty ? "/" : "/?" + query.joined(separator: "&")
    }

    fileprivate var fields: [(String, String?)] {
        [
            ("list", list == .campaigns ? nil : list.rawValue), ("kind", kind?.rawValue), ("sort", sort),
            ("open", isOpen ? "true" : nil), ("near", near), ("q", text),
        ]
    }

    fileprivate func with(_ change: (inout HomeQuery) -> Void) -> HomeQuery {
        var other = self
        change(&other)
        return other
    }
}

/// An item of the home page's list.
public struct FoundItem: Sendable {
    let title: String
    let path: String
    let lines: [String]
    let image: String?
    let distanceMillimeters: Int?
    let icon: String
    /// Shown on the map under ``placeName``.
    let place: Coordinate?
    let placeName: String

    /// The texts of the campaign and its shops must be decrypted.
    ///
    /// - Parameter others: the other shops at which the campaign is valid.
    public init(
        campaign: Campaign, of shop: Shop, others: [Shop] = [], image: String?, distanceMillimeters: Int?, in language: PageLanguage
    ) {
        title = WebPage.title(of: campaign, language)
        path = "/c/" + campaign.id.text
        let shared =
            others.isEmpty ? "" : language.say(.alsoAt, ["shops": language.list(others.map { WebPage.name(of: $0, language) })])
        lines = [WebPage.name(of: shop, language), WebPage.offer(of: campaign, language), shared].filter { !$0.isEmpty }
        icon = campaign.kind == .stampCard ? "cup" : "ticket"
        (place, placeName) = (shop.location, WebPage.name(of: shop, language))
        (self.image, self.distanceMillimeters) = (image, distanceMillimeters)
    }

    /// The shop's contact data must be decrypted.
    public init(shop: Shop, running: Int, image: String?, distanceMillimeters: Int?, in language: PageLanguage) {
        title = WebPage.name(of: shop, language)
        path = "/s/" + shop.id.text
        lines = [shop.address, running > 0 ? language.say(.campaignsRunning, count: running) : ""].filter { !$0.isEmpty }
        icon = "shop"
        (place, placeName) = (shop.location, title)
        (self.image, self.distanceMillimeters) = (image, distanceMillimeters)
    }

    /// - Parameter center: the reader's place, from which distances are measured.
    func fields(_ language: PageLanguage, from center: Coordinate? = nil, on tiles: MapTiles? = nil) -> [String: Any] {
        [
            "title": title, "href": path, "lines": lines, "thumbnail": image.map { $0 + "?width=160" } ?? false, "icon": icon,
            "distance": distanceMillimeters.map { Self.distance($0, direction(from: center, $0), language) } ?? false,
            "place": tiles.flatMap { tiles in place.map { MapTiles.text(tiles.shown($0)) } } ?? false, "placeName": placeName,
        ]
    }

    /// Nil without both places, or below 200 metres, because the reader's place is known only to a hundred metres.
    private func direction(from center: Coordinate?, _ millimeters: Int) -> Compass? {
        guard let center, let place, millimeters >= Self.directionMillimetersMin else { return nil }
        return Compass(from: center, to: place)
    }

    private static let directionMillimetersMin = 200_000

    static func distance(_ millimeters: Int, _ direction: Compass?, _ language: PageLanguage) -> String {
        let distance = distance(millimeters, language)
        return direction.map { language.say($0.word, ["distance": distance]) } ?? distance
    }

    /// Below 1 km in tens of metres, below 10 km with one decimal, above in whole kilometres.
    static func distance(_ millimeters: Int, _ language: PageLanguage) -> String {
        let meters = millimeters / 1_000
        if meters < 1_000 { return language.say(.meters, ["distance": String((meters + 5) / 10 * 10)]) }
        let tenths = (meters + 50) / 100
        return language.say(.kilometers, ["distance": tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : String((meters + 500) / 1_000)])
    }
}

extension WebPage {
    /// The home page: a list of running campaigns or of shops, which can be searched.
    ///
    /// - Parameters:
    ///   - next: the next page's cursor; nil on the last page.
    ///   - center: the reader's place; nil if the search is not near a place.
    public static func home(
        _ query: HomeQuery, _ items: [FoundItem], next: String?, around center: Coordinate?, in frame: PageFrame
    ) -> WebPage {
        let language = frame.language
        let map = items.contains { $0.place != nil } ? frame.tiles?.fields(around: center) : nil
        let isFirst = query.text == nil && query.kind == nil && query.near == nil && !query.isOpen
        let fields: [String: Any] = [
            "q": query.text ?? "", "kept": query.fields.dropLast().compactMap { name, value in value.map { ["name": name, "value": $0] } },
            "lists": lists(query, language), "chips": chips(query, language),
            "items": items.map { $0.fields(language, from: center, on: frame.tiles) },
            "map": map ?? false,
            "hasItems": !items.isEmpty, "isFirst": isFirst, "next": next.map { query.address(after: $0) } ?? false,
            "headline": language.say(query.near == nil ? .homeTitle : .homeTitleNear), "isSearch": query.text != nil,
        ]
        let title = query.text.map { language.say(.searchTitle, ["words": $0]) } ?? language.say(.homeTitle)
        return WebPage(
            .home, title: title, in: frame.at(.discover), script: .home,
            preview: LinkPreview(description: language.say(.homeLead), url: frame.publicURL + "/"), hasMap: map != nil, fields: fields)
    }

    private static func lists(_ query: HomeQuery, _ language: PageLanguage) -> [[String: Any]] {
        HomeQuery.List.allCases.map { list in
            let word: Word = list == .campaigns ? .listCampaigns : .listShops
            let address = HomeQuery(list: list, text: query.text, kind: nil, sort: nil, near: query.near, isOpen: query.isOpen).address()
            return ["href": address, "text": language.say(word), "isCurrent": list == query.list]
        }
    }

    /// Links that change the filter, the order or the place.
    private static func chips(_ query: HomeQuery, _ language: PageLanguage) -> [[String: Any]] {
        func chip(_ word: Word, _ isCurrent: Bool, _ change: (inout HomeQuery) -> Void) -> [String: Any] {
            ["href": query.with(change).address(), "text": language.say(word), "isCurrent": isCurrent]
        }
        var chips: [[String: Any]] = []
        if query.list == .campaigns {
            chips = [
                chip(.kindAll, query.kind == nil) { $0.kind = nil },
                chip(.kindStampCard, query.kind == .stampCard) { $0.kind = .stampCard },
                chip(.kindPromotion, query.kind == .promotion) { $0.kind = .promotion },
            ]
        }
        chips.append(chip(.openNow, query.isOpen) { $0.isOpen.toggle() })
        guard query.near == nil else { return chips + [chip(.everywhere, false) { ($0.near, $0.sort) = (nil, nil) }] }
        chips.append(chip(.sortNewest, query.sort != "popular" && query.sort != "rating") { $0.sort = nil })
        if query.list == .campaigns { chips.append(chip(.sortPopular, query.sort == "popular") { $0.sort = "popular" }) }
        chips.append(chip(.sortRating, query.sort == "rating") { $0.sort = "rating" })
        return chips
    }
}
