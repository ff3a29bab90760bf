/// Every bound of the domain in one place. Names end with their unit; no other file of this module contains such a number.
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
    /// The reward of a promotion. A promotion gives no stamps, so this may be empty.
    public static let promotionReward = TextLimit(scalars: 0...100)
    /// From start to end, a century: a shop may mean "for ever", and later times overflow in other programs.
    public static let campaignRunningSecondsMax: Int64 = 36_525 * 86_400
    /// ``campaignRunningSecondsMax`` in years, for people.
    static let campaignRunningYearsMax = 100
    /// The longest time from now to the start, five years: a later start is a typing mistake.
    public static let campaignLeadSecondsMax: Int64 = 1_827 * 86_400
    /// ``campaignLeadSecondsMax`` in years, for people.
    static let campaignLeadYearsMax = 5
    /// Stamps that an account may gain in a campaign in a day, where the owner caps them: a whole card of the largest goal.
    public static let stampsPerDay = 1...50
    /// The newest gains of one account in one campaign that caps look at. One more than the largest cap would do, because each gain is at
    /// least one stamp. The rest is for gains from the future, made while the clock was ahead, which do not count.
    public static let stampGains = 64
    /// The day of that cap in seconds. It is any 24 hours, so that midnight does not reset it and no time zone matters.
    public static let stampDaySeconds: Int64 = 86_400
    /// Seconds between two codes of one account, where the owner wants a gap. A longer one is a cap of one stamp a day.
    public static let minimumGapSeconds = 1...86_400

    /// Cards that one account may fill, where the shop limits them. It bounds how many cards the writer folds to count the filled ones.
    public static let repeats = 1...100
    /// Stamps added to an account's first code; fewer than a card's goal.
    public static let welcomeStamps = 1...10
    /// The latest date for redeeming full cards that a shop can name, in seconds after the campaign's end.
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
    /// Shops of a campaign besides its own. Each stamp looks at all of them.
    public static let sharedShops = 50
    /// How many times as much a code is worth in bonus hours.
    public static let bonusFactor = 2...5
    /// Stamps that one event may add to a card or take off: a whole card of the largest goal.
    public static let cardStamps = 1...50

    /// Seconds after an early end in which a campaign can be reopened. Customers who saw its end must not find it running days later.
    public static let reopeningSeconds: Int64 = 86_400

    /// Open campaigns of one shop, running or yet to start. Staff cannot tell more of them apart, and reading a shop returns them all.
    public static let openCampaignsPerShop = 100
    /// Campaigns that one shop can ever have: a new one each week for nineteen years. Reading a shop reads all of them.
    public static let campaignsPerShop = 1_000

    // MARK: Codes

    /// Stamps that one code is worth: the largest order that one customer pays at once. It bounds the loss by a stolen code.
    public static let codeStamps = 1...10
    /// Codes that are issued at once, on a strip of receipts.
    public static let stripCodesMax = 100
    /// Codes that are destroyed in one step.
    public static let destroyedCodesMax = 200
    /// Cards that are printed at once: fifty pages of ten.
    public static let paperCards = 1...500
    /// Times that one card on paper can be stamped before somebody takes it, those that were taken back among them. It bounds what is read
    /// of a paper.
    public static let paperStampingsMax = 100
    /// How long a stamp code may be valid, in seconds: never past the day that it was shown on.
    public static let codeValiditySeconds = 1...86_400
    /// The default validity of a code, which the API fills in. The customer stands at the counter.
    public static let codeValiditySecondsDefault = 600
    /// Seconds for which a redemption code works. It is shown at the counter, and a new one can be requested at any time.
    public static let redemptionValiditySeconds: Int64 = 300
    /// Seconds by which the clock may be set back without making things invalid that were just made.
    public static let clockLeadSeconds: Int64 = 60
    /// The allowed derivation attempts of a code. Collisions are one in billions; more than a few in a row are a defect, not chance.
    public static let derivationAttempts = 0...255
    /// Seconds after a reward was handed out in which it can be taken back: mistakes are noticed before the next day is over.
    public static let reversalSeconds: Int64 = 86_400
    /// Stamp entries and reversals of a card above which no more stamps are taken back. Otherwise stamping and reversing in turn would grow
    /// the card without bound.
    public static let reversedHistoryMax = 500
    /// Entries of a card's history above which it gets only one redemption code a day: fifty stamps, and a code on each day of two and a
    /// half years. Without a bound a full card would grow by ten entries every ten minutes, and every reader of the card reads all of them.
    public static let requestedHistoryMax = 1_000
    /// The seconds between two codes of such a card. The card can still be redeemed, only less often.
    public static let longHistoryPauseSeconds: Int64 = 86_400
    /// The stamps that an operator may add to a card or remove at once: a whole card of the largest goal.
    public static let adjustmentStamps = -50...50

    // MARK: Shops

    /// A shop's name: one line, any script.
    public static let shopName = TextLimit(scalars: 1...100)
    /// A shop's phone number as it is printed, in characters; `PhoneNumber` lists those allowed.
    public static let shopPhoneCharacters = 3...32
    /// A shop's postal address on one line.
    public static let shopAddress = TextLimit(scalars: 1...200)
    /// Pictures of a shop. With its other tags an event of the shop stays below the 16 that a record may have.
    public static let shopImages = 0...9
    /// People who may work at one shop, besides its owner: more than any tea shop has, and few enough to keep in memory.
    public static let staffMax = 100
    /// Offers of work that one shop can ever have accepted. Reading a shop reads all of its employments.
    public static let hiringsPerShop = 1_000
    /// Seconds in which an offer to work at a shop can be accepted: a week, so that a person on holiday finds it.
    public static let invitationValiditySeconds: Int64 = 7 * 86_400
    /// The reason of a reversal, an adjustment or a suspension, for later questions about it.
    public static let reason = TextLimit(scalars: 1...500, allowsLines: true)
    /// The reason why a suspension ended; it may be empty.
    public static let reinstatementReason = TextLimit(scalars: 0...500, allowsLines: true)
    /// A sealed reason in bytes: 500 characters of four bytes and the envelope. Not empty: sealing adds bytes.
    public static let sealedReasonBytes = 1...2_304
    /// A shop's sealed contact data in bytes: name, phone and address at four bytes a character, a place, and the envelope, with room.
    public static let sealedContactBytes = 1...2_048
    /// A sealed text of a campaign in bytes: 2,000 characters of four bytes and the envelope, with room. Not empty: sealing adds bytes.
    public static let sealedCampaignTextBytes = 1...8_192
    /// Seconds for which full cards of a closed shop are redeemed if its owner names no date or was erased. Thirty days, so that customers
    /// who come once a month get their reward.
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

    /// A rating in stars.
    public static let rating = 1...5
    /// The depth of the deepest reply, where the review itself is 0: deeper threads are unreadable on a phone.
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
    /// Spent tokens that a session remembers, the newest. Tokens of the present format prove by themselves that they were issued.
    public static let spentTokensMax = 64
    /// A session lives at most this long after its last refresh: 30 days, in seconds. A later expiry is shortened to this.
    public static let sessionValiditySeconds: Int64 = 30 * 86_400
}
