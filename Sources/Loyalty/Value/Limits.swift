/// Every limit of the rules. No other file of this module contains such a number.
public enum Limits {
    // MARK: Campaigns

    public static let goalStamps = 1...50
    public static let title = TextLimit(scalars: 1...100)
    public static let details = TextLimit(scalars: 0...2_000, allowsLines: true)
    /// Copied to every card.
    public static let stampCardReward = TextLimit(scalars: 1...100)
    public static let promotionReward = TextLimit(scalars: 0...100)
    /// Other programs cannot represent much later times than a century.
    public static let campaignRunningSecondsMax: Int64 = 36_525 * 86_400
    static let campaignRunningYearsMax = 100
    /// A later start is probably a typing mistake.
    public static let campaignLeadSecondsMax: Int64 = 1_827 * 86_400
    static let campaignLeadYearsMax = 5
    public static let stampsPerDay = 1...50
    /// The largest cap needs 51. Gains in the future, by a fast clock, take some room.
    public static let stampGains = 64
    /// A day is any 24 hours, so that neither midnight nor a time zone matters.
    public static let stampDaySeconds: Int64 = 86_400
    public static let minimumGapSeconds = 1...86_400

    /// Also bounds the cards that the writer reads to count the filled ones.
    public static let repeats = 1...100
    public static let welcomeStamps = 1...10
    static let redeemAfterEndSecondsMax: Int64 = 5 * 366 * 86_400
    static let redeemAfterEndYearsMax = 5
    public static let cardValidDays = 1...1_827
    /// Earliest first: in time to plan a visit, and shortly before the end.
    public static let reminderDays = [14, 2]
    public static let bonuses = 21
    /// With more, nearly every stamp brings a reward.
    public static let milestones = 10
    static let milestoneStamps = 1...49
    /// Each stamp reads the state of all of them.
    public static let sharedShops = 50
    /// Ids may be repeated.
    public static let namedShops = 2 * sharedShops
    public static let bonusFactor = 2...5
    public static let cardStamps = 1...50

    /// Customers must not find an ended campaign running days later.
    public static let reopeningSeconds: Int64 = 86_400

    /// The answer about a shop contains all of them.
    public static let openCampaignsPerShop = 100
    public static let campaignsPerShop = 1_000

    // MARK: Codes

    /// Bounds the loss by a stolen code.
    public static let codeStamps = 1...10
    public static let stripCodesMax = 100
    public static let destroyedCodesMax = 200
    public static let paperCards = 1...500
    /// Bounds the work of reading a paper card.
    public static let paperStampingsMax = 100
    public static let codeValiditySeconds = 1...86_400
    public static let codeValiditySecondsDefault = 600
    public static let redemptionValiditySeconds: Int64 = 300
    /// A clock set back by less leaves fresh codes and offers valid.
    public static let clockLeadSeconds: Int64 = 60
    /// More than a few mean a defect: a collision has the chance of the log's codes in 2^40.
    public static let derivationAttempts = 0...255
    public static let reversalSeconds: Int64 = 86_400
    /// As many as one code can give.
    public static let reversedStamps = 1...(codeStamps.upperBound * bonusFactor.upperBound + welcomeStamps.upperBound)
    /// Filled cards of one campaign that wait for a phone number. More would keep the writer busy.
    public static let waitingCardsMax = 50
    /// A card with this many stamps and reversals loses no more stamps. Otherwise alternate stamps and reversals would let the history grow
    /// without limit.
    public static let reversedHistoryMax = 500
    /// A card with this many entries gets one redemption code a day. Otherwise a full card could grow by ten entries every ten minutes, and
    /// each reader reads them all.
    public static let requestedHistoryMax = 1_000
    public static let longHistoryPauseSeconds: Int64 = 86_400
    public static let adjustmentStamps = -50...50

    // MARK: Shops

    public static let shopName = TextLimit(scalars: 1...100)
    public static let shopPhoneCharacters = 3...32
    public static let shopAddress = TextLimit(scalars: 1...200)
    /// A record has at most 16 tags.
    public static let shopImages = 0...9
    public static let staffMax = 100
    public static let hiringsPerShop = 1_000
    public static let staffLabel = TextLimit(scalars: 1...50)
    /// A person on holiday should find the offer.
    public static let invitationValiditySeconds: Int64 = 7 * 86_400
    public static let reason = TextLimit(scalars: 1...500, allowsLines: true)
    public static let reinstatementReason = TextLimit(scalars: 0...500, allowsLines: true)
    /// 500 characters of four bytes, and sealing.
    public static let sealedReasonBytes = 1...2_304
    /// Name, phone and address at four bytes a character, a place, and sealing.
    public static let sealedContactBytes = 1...2_048
    /// 2,000 characters of four bytes, and sealing.
    public static let sealedCampaignTextBytes = 1...8_192
    /// Customers who come once a month get their reward.
    public static let closedRedeemSeconds: Int64 = 30 * 86_400

    public static let closingRedeemDaysMax = 90
    public static let openShopsPerAccount = 100
    /// Reading an account's shops reads all of them.
    public static let shopsPerAccount = 1_000
    public static let transfersPerShop = 100
    /// The longest IANA name has 32 bytes.
    public static let timeZoneBytes = 1...64
    public static let openingHoursMax = 21
    static let daySeconds: Int64 = 86_400

    // MARK: Reviews

    public static let rating = 1...5
    public static let replyDepthMax = 8
    static let textCharacters = 1...2_000
    /// 2,000 characters of four bytes, and sealing.
    public static let sealedTextBytes = 1...8_192

    /// Of an account, with those that have no alerts.
    public static let savedSearches = 50

    /// Name and terms of a saved search with their seal: two texts of 100 characters of four bytes each, and numbers.
    public static let sealedSearchBytes = 29...1_024

    /// The campaigns that one alert names, and the campaigns among which it chooses.
    public static let (alertedCampaigns, alertCandidates) = (20, 100)

    /// Between two alerts of a saved search.
    public static let alertPauseSeconds: Int64 = 86_400

    // MARK: Notices

    /// 100 characters of four bytes, and sealing.
    public static let sealedTitleBytes = 1...512

    public static let noticeLeadDaysMax = 90

    // MARK: Accounts

    /// Sixteen characters, and sealing.
    public static let sealedPhoneBytesMax = 256
    /// The holder can object in this time.
    public static let phoneChangeSeconds: Int64 = 72 * 3_600
    public static let sealedProfileFieldBytes = 1...512
    /// Method, salt, hash, sealing, and a reserve for longer hashes.
    public static let sealedPasswordBytes = 1...512
    public static let openSessionsMax = 20
    /// Only tokens of an older format need this; present ones prove by themselves that they were issued.
    public static let spentTokensMax = 64
    public static let sessionValiditySeconds: Int64 = 30 * 86_400
}
