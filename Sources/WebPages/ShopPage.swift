public import Loyalty
internal import LoyaltyCodec

/// A review or a reply with all replies below it.
public struct ReviewView: Sendable {
    let author: String?
    let avatar: String?
    let isShop: Bool
    let isVerified: Bool
    let isRemoved: Bool
    let rating: Int?
    let text: String?
    let at: Instant
    let replies: [ReviewView]

    /// - Parameters:
    ///   - rating: nil for a reply, or a review without one.
    ///   - isVerified: whether the author holds, or has held, a card at the shop.
    public init(author: Author, text: String?, rating: Int?, isVerified: Bool, isRemoved: Bool, at: Instant, replies: [ReviewView]) {
        (self.author, avatar, isShop) = (author.name, author.avatar, author.isShop)
        (self.text, self.rating, self.isVerified, self.isRemoved) = (text, rating, isVerified, isRemoved)
        (self.at, self.replies) = (at, replies)
    }

    /// The author of a review or a reply.
    public struct Author: Sendable {
        let name: String?
        let avatar: String?
        let isShop: Bool

        /// - Parameter isShop: whether the author owns the shop or works for it.
        public init(name: String?, avatar: String?, isShop: Bool) { (self.name, self.avatar, self.isShop) = (name, avatar, isShop) }
    }

    /// Every key has a value: for a missing one, the template would show the value of the review around this reply.
    fileprivate func fields(_ language: PageLanguage, _ clock: ShopClock) -> [String: Any] {
        let name = author.flatMap { $0.isEmpty ? nil : $0 } ?? language.say(isShop ? .theShop : .somebody)
        return [
            "name": name, "initial": String(name.prefix(1)), "portrait": avatar.map { $0 + "?width=160" } ?? false, "isShop": isShop,
            "isVerified": isVerified && !isShop, "isRemoved": isRemoved, "words": isRemoved ? "" : text ?? "",
            "hasWords": !isRemoved && !(text ?? "").isEmpty, "stars": rating.map { WebPage.stars($0, language) } ?? false,
            "day": WebPage.day(at, language, clock), "time": at.rfc3339, "answers": replies.map { $0.fields(language, clock) },
            "hasAnswers": !replies.isEmpty, "isErased": !isRemoved && rating == nil && (text ?? "").isEmpty,
        ]
    }
}

/// A shop's rating in stars.
public struct RatingView: Sendable {
    let average: Double?
    let count: Int
    let histogram: [Int]

    /// - Parameters:
    ///   - average: nil without ratings.
    ///   - histogram: accounts that gave one to five stars.
    public init(average: Double?, count: Int, histogram: [Int]) { (self.average, self.count, self.histogram) = (average, count, histogram) }
}

extension WebPage {
    /// A shop with the data that its page shows, decrypted.
    public struct ShopView: Sendable {
        public let shop: Shop
        public let rating: RatingView
        /// Running and future campaigns, the shop's own first, then shared ones, newest first.
        public let campaigns: [FoundItem]
        public let reviews: [ReviewView]
        /// Nil on the last page.
        public let olderReviews: String?
        /// Whether earlier pages have newer reviews.
        public let isContinued: Bool
        /// The path of the shop's logo.
        public let logo: String?
        public let clock: ShopClock

        public init(
            shop: Shop, rating: RatingView, campaigns: [FoundItem], reviews: [ReviewView], olderReviews: String?, isContinued: Bool,
            logo: String? = nil, clock: ShopClock
        ) {
            (self.shop, self.rating, self.campaigns, self.reviews) = (shop, rating, campaigns, reviews)
            (self.olderReviews, self.isContinued, self.logo, self.clock) = (olderReviews, isContinued, logo, clock)
        }
    }

    /// The page of a shop: campaigns, opening hours, place and reviews.
    public static func shop(_ view: ShopView, in frame: PageFrame) -> WebPage {
        let (shop, language) = (view.shop, frame.language)
        let (name, path) = (name(of: shop, language), "/s/" + shop.id.text)
        let map = shop.location.flatMap { place in frame.tiles?.fields(around: place) }
        let pictures = shop.images.map { "/v1/images/" + $0.text }
        let fields: [String: Any] = [
            "pictures": pictures.map { ["src": $0] }, "hasPictures": !pictures.isEmpty, "address": shop.address, "phone": shop.phone,
            "call": call(shop.phone) ?? false, "links": links(to: shop, language).map { ["address": $0.address, "text": $0.text] },
            "hasPlace": shop.location != nil, "map": map ?? false, "placeName": name,
            "logo": view.logo.map { $0 + "?width=160" } ?? false,
            "closed": closed(shop, language, view.clock) ?? false,
            "hours": hours(of: shop, language, view.clock) ?? false, "zone": shop.schedule.timeZone,
            "items": view.campaigns.map { $0.fields(language) }, "hasItems": !view.campaigns.isEmpty,
            "rating": stars(view.rating, language) ?? false, "histogram": histogram(view.rating, language),
            "ratingCount": language.say(.ratingCount, count: view.rating.count),
            "reviews": view.reviews.map { $0.fields(language, view.clock) },
            "hasReviews": !view.reviews.isEmpty, "isContinued": view.isContinued, "newest": path + "#reviews",
            "signIn": "/sign-in?next=" + MapLinks.encoded(path + "#reviews"),
            "feed": path + "/feed.atom",
            "older": view.olderReviews.map { path + "?reviews=" + MapLinks.encoded($0) + "#reviews" } ?? false,
        ]
        return WebPage(
            .shop, title: name, in: frame.at(.discover), script: .shopPublic,
            preview: LinkPreview(
                description: shop.address.isEmpty ? name : shop.address, url: frame.publicURL + path,
                image: pictures.first.map { frame.publicURL + $0 }),
            hasMap: map != nil, fields: fields)
    }

    /// Nil if the text is no phone number.
    static func call(_ phone: String) -> String? {
        let digits = phone.unicodeScalars.filter { ("0"..."9").contains($0) || $0 == "+" }
        let text = String(String.UnicodeScalarView(digits))
        guard digits.count >= 3, !text.dropFirst().contains("+") else { return nil }
        return "tel:" + text
    }

    private static func closed(_ shop: Shop, _ language: PageLanguage, _ clock: ShopClock) -> [String: Any]? {
        if let closing = shop.closing {
            return ["closedText": language.say(.closedUntil, ["day": day(closing.redeemUntil, language, clock)])]
        }
        return shop.isSuspended ? ["closedText": language.say(.pausedText)] : nil
    }

    /// Nil without ratings.
    static func stars(_ rating: RatingView, _ language: PageLanguage) -> [String: Any]? {
        guard let average = rating.average else { return nil }
        let (tenths, halves) = (Int((average * 10).rounded()), Int((average * 2).rounded()))
        let text = "\(tenths / 10).\(tenths % 10)"
        let places = (1...5).map { ["isOn": $0 * 2 <= halves, "isHalf": $0 * 2 - 1 == halves] }
        return [
            "places": places, "average": text, "spoken": language.say(.ratedOutOf, ["stars": text]),
            "ratings": language.say(.ratingCount, count: rating.count),
        ]
    }

    static func stars(_ rating: Int, _ language: PageLanguage) -> [String: Any] {
        let places = (1...5).map { ["isOn": $0 <= rating, "isHalf": false] }
        return ["places": places, "spoken": language.say(.ratedOutOf, ["stars": String(rating)])]
    }

    private static func histogram(_ rating: RatingView, _ language: PageLanguage) -> [[String: Any]] {
        (1...5).reversed().map { stars in
            let count = rating.histogram[stars - 1]
            return [
                "stars": stars, "share": rating.count > 0 ? count * 100 / rating.count : 0, "count": count,
                "spoken": language.say(.starsCount, count: stars),
            ]
        }
    }
}

/// The local time of a shop.
public struct ShopClock: Sendable {
    public let now: Instant
    let secondsAhead: @Sendable (Instant) -> Int

    /// - Parameter secondsAhead: by which the clock is ahead of UTC at a moment.
    public init(now: Instant, secondsAhead: @escaping @Sendable (Instant) -> Int) { (self.now, self.secondsAhead) = (now, secondsAhead) }

    /// Shifted so that its UTC date and time are the shop's local ones.
    func shown(_ time: Instant) -> Instant { time.advanced(bySeconds: Int64(secondsAhead(time))) }

    var time: LocalTime { LocalTime(of: now, secondsAhead: secondsAhead(now)) }
}

/// The opening hours of a shop on its page.
extension WebPage {
    private static let dayWords: [Word] = [
        .dayMonday, .dayTuesday, .dayWednesday, .dayThursday, .dayFriday, .daySaturday, .daySunday,
    ]

    /// The next seven days, and whether the shop is open. Nil without hours, and for a closed or suspended shop.
    static func hours(of shop: Shop, _ language: PageLanguage, _ clock: ShopClock) -> [String: Any]? {
        guard let hours = shop.schedule.openingHours, shop.closing == nil, !shop.isSuspended else { return nil }
        let now = clock.time
        let isOpen = hours.contains { $0.contains(now) }
        let days = (0..<7).map { offset -> [String: Any] in
            let day = (now.day + offset) % 7
            let name = language.say(dayWords[day])
            let times = hours.filter { $0.weekdays.contains(day: day) }.sorted { $0.fromMinute < $1.fromMinute }.map { hours in
                language.say(.hoursBetween, ["from": DayClock.text(hours.fromMinute), "to": DayClock.text(hours.toMinute)])
            }
            let separator = language == .chinese ? "、" : ", "
            return [
                "name": offset == 0 ? language.say(.today, ["day": name]) : name,
                "times": times.isEmpty ? language.say(.closedThatDay) : times.joined(separator: separator),
            ]
        }
        return ["isOpen": isOpen, "openText": language.say(isOpen ? .openNow : .closedNow), "days": days]
    }
}
