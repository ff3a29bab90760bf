/// The reason why a field is invalid, with limits as values, so that the HTTP layer can describe it in any language.
public enum FieldFault: Hashable, Sendable {
    // Faults of numbers
    case outside(ClosedRange<Int>)
    case above(Int)
    case aboveDailyCap(Int)
    // Faults of texts
    case characters(ClosedRange<Int>)
    case tooLong
    case controlCharacters(exceptLines: Bool)
    case noncharacters
    case directionControls
    /// Not closed before its line ends.
    case openDirection
    case nothingVisible
    case shopPhone
    case sealedBytes(max: Int)
    case sealedHash
    /// An account has the number, or will get it.
    case taken
    // Faults of shops
    case notOnEarth
    case repeatedImage
    case staff(max: Int)
    case hirings(max: Int)
    case transfers(max: Int)
    /// No valid day, a minute outside the day, or length 0.
    case openingHours
    case overlappingHours
    case noStaffRole
    // Faults of campaigns
    case pastTime
    case yearsAhead(max: Int)
    case daysAhead(max: Int)
    case yearsAfterStart(max: Int)
    case yearsBeforeEnd(max: Int)
    case notAfterStart
    case notBeforeEnd
    case ended
    case openCampaigns(max: Int)
    case reopened(max: Int)
    case campaigns(max: Int)
    case onlyStampCards
    /// A term about cards for a campaign without cards.
    case onlyCards
    case sharedShops(max: Int)
    case repeatedShop
    /// One answer for unknown and foreign shops, so that nobody can probe for shops.
    case strangeShop
    case closedShop
    case suspendedShop
    /// The request names none of the actor's shops.
    case severalShops
    case otherCampaignShop
    case notBelowGoal
    case beforeEnd
    case yearsAfterEnd(max: Int)
    case bonuses(max: Int)
    case bonusDays
    case bonusTimes
    case bonusFactor(ClosedRange<Int>)
    case overlappingBonuses
    case notAscending
    // Faults of cards
    case noMilestone
    case zeroOrOutside(ClosedRange<Int>)
    case redeemedCard
    case discardedCard
    case expiredCard
    case stampsLeft(ClosedRange<Int>)
    /// More than the stamps of a code that were not taken back.
    case beyondLeft(Int)
    case partOnPaper
    /// The holder would have two collecting cards.
    case otherCardCollects
    // Faults of searches
    case savedSearches(max: Int)
    // Faults of reviews and sessions
    case ratingOrText
    case replyDepth(max: Int)
    case spentToken
}

extension FieldFault: CustomStringConvertible {
    /// English, worded to follow the field's name in a sentence.
    public var description: String {
        switch self {
        case .outside(let range): "must be \(range.lowerBound) to \(range.upperBound)"
        case .above(let most): "must be at most \(most)"
        case .aboveDailyCap(let most): "must be at most \(most), the campaign's cap a day"
        case .characters(let range): "must be \(range.lowerBound) to \(range.upperBound) characters"
        case .tooLong: "is too long"
        case .controlCharacters(let exceptLines): "must have no control characters" + (exceptLines ? " except line ends and tabs" : "")
        case .noncharacters: "must have only characters of Unicode"
        case .directionControls: "must have no controls of writing direction"
        case .openDirection: "must close each control of writing direction on its line"
        case .nothingVisible: "must have at least one visible letter, digit or symbol"
        case .shopPhone: "must be a possible phone number, with + and its calling code or with its region"
        case .sealedBytes(let most): "must seal to at most \(most) bytes"
        case .sealedHash: "does not seal to what a hash seals to"
        case .taken: "must be a number that no account has"
        case .notOnEarth: "must be a latitude within ±90 and a longitude within ±180 degrees"
        case .repeatedImage: "must have each image once"
        case .staff(let most): "must be one of at most \(most) of a shop's staff"
        case .hirings(let most): "a shop can hire \(most) times in all"
        case .transfers(let most): "a shop can change hands \(most) times in all"
        case .openingHours: "must name days, and two different times from 00:00 to 24:00"
        case .overlappingHours: "must not overlap"
        case .noStaffRole: "must be counter or manager; ownership is transferred"
        case .pastTime: "must be in the future"
        case .yearsAhead(let most): "must be at most \(most) years ahead"
        case .daysAhead(let most): "must be at most \(most) days ahead"
        case .yearsAfterStart(let most): "must be at most \(most) years after startsAt"
        case .yearsBeforeEnd(let most): "must be at most \(most) years before endsAt"
        case .notAfterStart: "must be after startsAt"
        case .notBeforeEnd: "must be before endsAt"
        case .ended: "must stay: the campaign was ended"
        case .openCampaigns(let most): "at most \(most) campaigns of a shop may run or be about to; end one first"
        case .reopened(let most): "must stay: at most \(most) campaigns of a shop may run or be about to"
        case .campaigns(let most): "a shop can have \(most) campaigns in all"
        case .onlyStampCards: "must be left out: only a stamp card has it"
        case .onlyCards: "must be left out: only a stamp card or a coupon has it"
        case .sharedShops(let most): "must be at most \(most)"
        case .repeatedShop: "must have each shop once"
        case .strangeShop: "must be shops of the same owner, of each of which you are a manager"
        case .closedShop: "must be shops that have not closed"
        case .suspendedShop: "must be shops that are not suspended"
        case .severalShops: "must be given: you work at several shops of the campaign"
        case .otherCampaignShop: "must be a shop of the campaign"
        case .notBelowGoal: "must be less than the goal"
        case .beforeEnd: "must not be before endsAt"
        case .yearsAfterEnd(let most): "must be at most \(most) years after endsAt"
        case .bonuses(let most): "must be at most \(most)"
        case .bonusDays: "must each have at least one day"
        case .bonusTimes: "must each have a from and a to that differ"
        case .bonusFactor(let range): "must each have a factor of \(range.lowerBound) to \(range.upperBound)"
        case .overlappingBonuses: "must not overlap"
        case .notAscending: "must be more than that of the milestone before"
        case .noMilestone: "must be one of the card's milestones"
        case .zeroOrOutside(let range): "must be \(range.lowerBound) to \(range.upperBound) and not 0"
        case .redeemedCard: "must be of a card that collects or is full: this one is redeemed; reverse that first"
        case .discardedCard: "must be of a card that collects or is full: this one is discarded"
        case .expiredCard: "must be of a card that collects or is full: this one has expired"
        case .stampsLeft(let range): "must leave the card with \(range.lowerBound) to \(range.upperBound) stamps"
        case .beyondLeft(let left): "must be at most \(left): no more of these stamps are left to take back"
        case .partOnPaper: "must be left out: stamps on an untaken paper card are taken back whole; then stamp it again"
        case .otherCardCollects: "must be taken off the card on which the holder collects now"
        case .savedSearches(let most): "an account can save \(most) searches; remove one first"
        case .ratingOrText: "rating or text must be given"
        case .replyDepth(let most): "replies are at most \(most) deep"
        case .spentToken: "must differ from the token that is spent"
        }
    }
}
