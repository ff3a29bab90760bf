/// Every bound of the domain in one place. Units stand last in the names; nothing else in this module names a number.
public enum Limits {
    // MARK: Campaigns

    /// Stamps that fill a card. Customers do not finish cards above 50.
    public static let goalStamps = 1...50
    /// A campaign's title: one line of a list.
    public static let title = TextLimit(scalars: 1...100)
    /// A campaign's small print; may be empty and may have lines.
    public static let details = TextLimit(scalars: 0...2_000, allowsLines: true)
    /// The reward of a full stamp card. It is copied to every card, so it must not be empty and is short.
    public static let stampCardReward = TextLimit(scalars: 1...100)
    /// A promotion promises nothing for stamps, so this may be empty.
    public static let promotionReward = TextLimit(scalars: 0...100)
    /// From start to end, a century: a shop may mean "for ever", and times beyond it overflow in other people's code.
    public static let campaignRunningSecondsMax: Int64 = 36_525 * 86_400
    /// ``campaignRunningSecondsMax`` in years, for people.
    static let campaignRunningYearsMax = 100
    /// The longest time from now to the start, five years: a later start is a typing mistake.
    public static let campaignLeadSecondsMax: Int64 = 1_827 * 86_400
    /// ``campaignLeadSecondsMax`` in years, for people.
    static let campaignLeadYearsMax = 5
    /// Stamps that an account may gain in a campaign in a day, where the owner caps them: a whole card of the largest goal.
    public static let stampsPerDay = 1...50
    /// Gains of one account in one campaign that caps look back on. One more than the largest cap would do, since each gain is a stamp
    /// at least; the rest is for gains of a time when the clock was ahead, which count for nothing.
    public static let stampGains = 64
    /// The day of that cap, in seconds: any 24 hours, so that midnight is no second chance and no time zone matters.
    public static let stampDaySeconds: Int64 = 86_400
    /// Seconds between two codes of one account, where the owner wants a gap. A longer one is a cap of one stamp a day.
    public static let minimumGapSeconds = 1...86_400

    /// Cards that one account may fill, where the shop limits them. It bounds what the writer folds to know how many were filled.
    public static let repeats = 1...100
    /// Stamps on top of an account's first code: less than a card of any goal that they are given on.
    public static let welcomeStamps = 1...10
    /// How long after the end full cards may be redeemed, in seconds, where the shop names a date.
    static let redeemAfterEndSecondsMax: Int64 = 5 * 366 * 86_400
    /// ``redeemAfterEndSecondsMax`` in years, for people.
    static let redeemAfterEndYearsMax = 5
    /// Days for which a card is good, where the shop limits them: up to five years.
    public static let cardValidDays = 1...1_827
    /// Days before the end of a card at which its holder is reminded, the earliest first: a fortnight to plan a visit, and a last call.
    public static let reminderDays = [14, 2]
    /// Bonus hours of one campaign: three a day of the week.
    public static let bonuses = 21
    /// Milestones of one campaign: a card with more is a card of rewards.
    public static let milestones = 10
    /// Stamps of a milestone: fewer than the largest goal.
    static let milestoneStamps = 1...49
    /// How many times as much a code is worth in bonus hours.
    public static let bonusFactor = 2...5
    /// Stamps that one event may add to a card or take off: a whole card of the largest goal.
    public static let cardStamps = 1...50

    /// How long after an early end a campaign can be reopened, in seconds. Customers who saw its end do not find it running days later.
    public static let reopeningSeconds: Int64 = 86_400

    /// Campaigns of one shop that run or are about to. Staff cannot tell more of them apart, and reading a shop shows them all.
    public static let openCampaignsPerShop = 100
    /// Campaigns that one shop can ever have: a new one each week for nineteen years. Reading a shop reads them all.
    public static let campaignsPerShop = 1_000

    // MARK: Codes

    /// Worth of one code, in stamps: the largest order one customer pays at once. It bounds what a stolen code is worth.
    public static let codeStamps = 1...10
    /// Codes that are issued at once, on a strip of receipts.
    public static let stripCodesMax = 100
    /// Codes that are destroyed in one step.
    public static let destroyedCodesMax = 200
    /// How long a stamp code may be valid, in seconds: never past the day that it was shown on.
    public static let codeValiditySeconds = 1...86_400
    /// The default validity of a code, which the API fills in. The customer stands at the counter.
    public static let codeValiditySecondsDefault = 600
    /// Seconds that a redemption code works: it is shown at the counter, and a new one can be requested at any time.
    public static let redemptionValiditySeconds: Int64 = 300
    /// Seconds by which the clock may be set back without anything being looked at askance.
    public static let clockLeadSeconds: Int64 = 60
    /// Which derivation a code may be. Collisions are one in billions; more than a few in a row are a defect, not chance.
    public static let derivationAttempts = 0...255
    /// How long after the reward was handed out that can be taken back, in seconds: mistakes show before the next day is over.
    public static let reversalSeconds: Int64 = 86_400
    /// A card on which stamps were given or taken back more often loses none any more. Done in turn, it would make the card grow for ever.
    public static let reversedHistoryMax = 500
    /// Entries of a card's history from which on it gets one redemption code a day: fifty stamps, and a code on each day of two and a half
    /// years. Without a bound a full card would grow by ten entries every ten minutes, and every reader of the card reads them all.
    public static let requestedHistoryMax = 1_000
    /// The seconds between two codes of such a card. It is no refusal for good: a full card keeps its promise.
    public static let longHistoryPauseSeconds: Int64 = 86_400
    /// The stamps that an operator may add to a card or remove at once: a whole card of the largest goal.
    public static let adjustmentStamps = -50...50

    // MARK: Shops

    /// A shop's name: one line, any script.
    public static let shopName = TextLimit(scalars: 1...100)
    /// A shop's phone number as it is printed, in characters; see `PhoneNumber` for which.
    public static let shopPhoneCharacters = 3...32
    /// A shop's postal address on one line.
    public static let shopAddress = TextLimit(scalars: 1...200)
    /// Pictures of a shop. With its other tags an event of the shop stays below the 16 that a record may have.
    public static let shopImages = 0...9
    /// People who may work at one shop, besides its owner: more than any tea shop has, and little enough to keep in memory.
    public static let staffMax = 100
    /// Times that one shop can ever hire. Reading a shop reads all of its employments.
    public static let hiringsPerShop = 1_000
    /// Seconds in which an offer to work at a shop can be accepted: a week, so that a person on holiday finds it.
    public static let invitationValiditySeconds: Int64 = 7 * 86_400
    /// The reason of a reversal, an adjustment or a suspension, for later questions about it.
    public static let reason = TextLimit(scalars: 1...500, allowsLines: true)
    /// Why a suspension is over; that it is may say enough.
    public static let reinstatementReason = TextLimit(scalars: 0...500, allowsLines: true)
    /// A sealed reason in bytes: 500 characters of four bytes and the envelope. Not empty: sealing adds bytes.
    public static let sealedReasonBytes = 1...2_304
    /// A shop's sealed contact data in bytes: name, phone and address of four bytes a character, a place, and the envelope, with room.
    public static let sealedContactBytes = 1...2_048
    /// A sealed text of a campaign in bytes: 2,000 characters of four bytes and the envelope, with room. Not empty: sealing adds bytes.
    public static let sealedCampaignTextBytes = 1...8_192
    /// Seconds for which full cards of a closed shop are redeemed where its owner names no date or was erased: thirty days, so that
    /// customers who come once a month get what they collected for.
    public static let closedRedeemSeconds: Int64 = 30 * 86_400

    /// How many days ahead the owner of a closing shop can set the end of redemptions.
    public static let closingRedeemDaysMax = 90
    /// Open shops that one account may own: more than any chain has under one name.
    public static let openShopsPerAccount = 100
    /// Shops that one account can ever open or take over. Reading an account's shops reads all of them.
    public static let shopsPerAccount = 1_000
    /// Times that one shop can change hands. Reading a shop reads all of them.
    public static let transfersPerShop = 100
    /// The name of a time zone in bytes; the longest of the IANA has 32.
    public static let timeZoneBytes = 1...64
    /// Entries of a shop's opening hours: three for each day of the week.
    public static let openingHoursMax = 21
    /// A day in seconds.
    static let daySeconds: Int64 = 86_400

    // MARK: Reviews

    /// Stars.
    public static let rating = 1...5
    /// How deep replies nest, the review itself being 0: deeper threads are unreadable on a phone.
    public static let replyDepthMax = 8
    /// A review, reply, notice or feedback. Texts are sealed before the decision, so the edge counts them.
    static let textCharacters = 1...2_000
    /// A sealed text in bytes: 2,000 characters of four bytes and the envelope around them. Not empty: sealing adds bytes.
    public static let sealedTextBytes = 1...8_192

    // MARK: Notices

    /// A sealed title in bytes: 100 characters of four bytes and the envelope around them, with room.
    public static let sealedTitleBytes = 1...512

    /// How many days ahead a notice can be scheduled.
    public static let noticeLeadDaysMax = 90

    // MARK: Accounts

    /// A sealed phone number in bytes: sixteen characters and the envelope, with room.
    public static let sealedPhoneBytesMax = 256
    /// Seconds until a number that an operator asked for replaces a lost one: three days, in which its holder can object.
    public static let phoneChangeSeconds: Int64 = 72 * 3_600
    /// A sealed field of a profile in bytes: 100 characters of four bytes and the envelope, with room. Not empty: sealing adds bytes.
    public static let sealedProfileFieldBytes = 1...512
    /// A sealed password hash in bytes: method, salt, hash and the envelope, with room for longer ones.
    public static let sealedPasswordBytes = 1...512
    /// Sessions of one account at once: phones, tablets and browsers of a family.
    public static let openSessionsMax = 20
    /// Tokens that were good once and that a session is known by, the newest. Today's tokens show by themselves that they were given out.
    public static let spentTokensMax = 64
    /// A session lives at most this long after its last refresh: 30 days, in seconds. Later expiries are cut to it.
    public static let sessionValiditySeconds: Int64 = 30 * 86_400
}
