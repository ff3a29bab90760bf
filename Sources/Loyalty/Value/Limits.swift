/// Every limit of the rules in one place. The name of a limit on time, bytes or characters contains its unit, except for a ``TextLimit``.
/// No other file of this module contains such a number.
public enum Limits {
    // MARK: Campaigns

    /// Stamps that fill a card. Customers do not finish cards of more than 50 stamps.
    public static let goalStamps = 1...50
    /// A campaign's title: one line of a list.
    public static let title = TextLimit(scalars: 1...100)
    /// A campaign's small print. It may be empty, and may have several lines.
    public static let details = TextLimit(scalars: 0...2_000, allowsLines: true)
    /// The reward of a full stamp card. It is copied to every card, so it must be short. It must not be empty.
    public static let stampCardReward = TextLimit(scalars: 1...100)
    /// The reward of a promotion. It may be empty, because a promotion gives no stamps.
    public static let promotionReward = TextLimit(scalars: 0...100)
    /// The longest time from a campaign's start to its end: a century. A shop may name a very late end to mean "for ever", but other
    /// programs cannot represent much later times.
    public static let campaignRunningSecondsMax: Int64 = 36_525 * 86_400
    /// The value of ``campaignRunningSecondsMax`` in years, for messages to people.
    static let campaignRunningYearsMax = 100
    /// The longest time from the present to a campaign's start: five years. A later start is probably a typing mistake.
    public static let campaignLeadSecondsMax: Int64 = 1_827 * 86_400
    /// The value of ``campaignLeadSecondsMax`` in years, for messages to people.
    static let campaignLeadYearsMax = 5
    /// The daily caps that a shop may set: the stamps that one account may gain in a campaign within 24 hours, at most a card of the
    /// largest goal.
    public static let stampsPerDay = 1...50
    /// The number of newest gains that are kept for one account in one campaign, because caps count them. Each gain has at least one stamp,
    /// so one gain more than the number of stamps in the largest cap would suffice. The other places leave room for gains that caps ignore
    /// because their times are in the future: they were recorded while the clock was fast.
    public static let stampGains = 64
    /// The length of the day that ``stampsPerDay`` means, in seconds. The day is any period of 24 hours, so that midnight does not reset
    /// the count and no time zone matters.
    public static let stampDaySeconds: Int64 = 86_400
    /// The values that a shop may set for the least time between two codes that one account enters, in seconds: at most a day.
    public static let minimumGapSeconds = 1...86_400

    /// The number of cards that one account may fill, if the shop limits it. The limit also bounds how many cards the writer has to read to
    /// count the filled cards.
    public static let repeats = 1...100
    /// Extra stamps with an account's first code. They must be fewer than a card's goal.
    public static let welcomeStamps = 1...10
    /// The longest time after a campaign's end for which a shop can let full cards be redeemed, in seconds.
    static let redeemAfterEndSecondsMax: Int64 = 5 * 366 * 86_400
    /// The value of ``redeemAfterEndSecondsMax`` in years, for messages to people.
    static let redeemAfterEndYearsMax = 5
    /// The number of days for which a card is valid, if the shop limits it: up to five years.
    public static let cardValidDays = 1...1_827
    /// Days before a card's end at which its holder is reminded, the earliest first: a fortnight before, in time to plan a visit, and two
    /// days before.
    public static let reminderDays = [14, 2]
    /// The largest number of entries in one campaign's bonus hours: three for each day of the week.
    public static let bonuses = 21
    /// The largest number of milestones of one campaign. With more milestones, nearly every stamp would bring a reward.
    public static let milestones = 10
    /// The number of stamps that a milestone may need, fewer than the largest goal.
    static let milestoneStamps = 1...49
    /// The largest number of shops that a campaign may have besides its own shop. Each stamp reads the state of all of these shops.
    public static let sharedShops = 50
    /// The number of shop ids that a request may contain for a campaign. Ids may be repeated, and the campaign's own shop may be among
    /// them.
    public static let namedShops = 2 * sharedShops
    /// The factors by which bonus hours may multiply a code's stamps.
    public static let bonusFactor = 2...5
    /// The number of stamps that one event may add to a card or take off: at most a whole card of the largest goal.
    public static let cardStamps = 1...50

    /// The number of seconds for which a campaign that was ended early can be reopened. Customers who saw its end must not find it running
    /// again days later.
    public static let reopeningSeconds: Int64 = 86_400

    /// The number of campaigns of one shop that run or have not started yet. Staff cannot tell more campaigns apart, and the answer about a
    /// shop contains all of them.
    public static let openCampaignsPerShop = 100
    /// The number of campaigns that one shop can ever have: a new one each week for nineteen years. Reading a shop reads all of them.
    public static let campaignsPerShop = 1_000

    // MARK: Codes

    /// The stamps that one code may be worth, enough for the largest order that one customer pays at once. The limit bounds the loss by a
    /// stolen code.
    public static let codeStamps = 1...10
    /// The number of codes that one command may issue, for a strip of receipts.
    public static let stripCodesMax = 100
    /// The number of codes that one command may destroy.
    public static let destroyedCodesMax = 200
    /// The number of paper cards that one command may print: fifty pages of ten.
    public static let paperCards = 1...500
    /// The number of times that one paper card can be stamped before an account takes it, including stamps that were taken back. The limit
    /// bounds the work of reading a paper card.
    public static let paperStampingsMax = 100
    /// The validity that a stamp code may have, in seconds: at most a day.
    public static let codeValiditySeconds = 1...86_400
    /// The validity of a code in seconds if the request names no validity. It is short, because the customer stands at the counter.
    public static let codeValiditySecondsDefault = 600
    /// Seconds for which a redemption code is valid. The code is shown at the counter, and a new code can be requested at any time.
    public static let redemptionValiditySeconds: Int64 = 300
    /// The number of seconds by which the clock may be set back without making codes and offers invalid that were made just before.
    public static let clockLeadSeconds: Int64 = 60
    /// The number of times that the derivation of a code may be repeated because the derived code is in use already. The chance of one
    /// repetition is the number of codes in the log divided by 2^40, so more than a few repetitions mean a defect of the program.
    public static let derivationAttempts = 0...255
    /// Seconds in which a reward or the stamps of a code can be taken back after they were given: a day, because mistakes are noticed by
    /// then.
    public static let reversalSeconds: Int64 = 86_400
    /// The filled cards of one campaign that wait for a phone number. With more, taking them over would keep the writer busy.
    public static let waitingCardsMax = 50
    /// Once a card's history has this number of stamps and reversals, no more stamps can be taken off the card. Otherwise alternate stamps
    /// and reversals would let the history grow without limit.
    public static let reversedHistoryMax = 500
    /// Once a card's history has this number of entries, the card gets only one redemption code a day. The number suffices for fifty
    /// stamps, and for a code on each day of two and a half years. Without this limit a full card could grow by ten entries every ten
    /// minutes, and every reader of the card reads all of them.
    public static let requestedHistoryMax = 1_000
    /// Seconds between two redemption codes of a card with ``requestedHistoryMax`` entries or more. The card can still be redeemed, only
    /// less often.
    public static let longHistoryPauseSeconds: Int64 = 86_400
    /// The stamps that one command of an operator may add to a card, or remove if negative: up to a whole card of the largest goal.
    public static let adjustmentStamps = -50...50

    // MARK: Shops

    /// A shop's name: one line in any script.
    public static let shopName = TextLimit(scalars: 1...100)
    /// The length of a shop's phone number as it is printed, in characters; `PhoneNumber` decides which characters are allowed.
    public static let shopPhoneCharacters = 3...32
    /// A shop's postal address on one line.
    public static let shopAddress = TextLimit(scalars: 1...200)
    /// The number of pictures of a shop. Each picture is a tag of the shop's events, and a record may have at most 16 tags.
    public static let shopImages = 0...9
    /// The number of people who may work at one shop, without its owner: more than any tea shop has, and few enough to keep in memory.
    public static let staffMax = 100
    /// The number of offers of work of one shop that may ever be accepted. Reading a shop reads all of its employments.
    public static let hiringsPerShop = 1_000
    /// Seconds in which an offer to work at a shop, or to own it, can be accepted: a week, so that a person on holiday finds it.
    public static let invitationValiditySeconds: Int64 = 7 * 86_400
    /// The reason of a reversal, an adjustment, a suspension, a closing or a change of a phone number. The log keeps it, so that people can
    /// ask for it later.
    public static let reason = TextLimit(scalars: 1...500, allowsLines: true)
    /// The reason why a suspension ended; it may be empty.
    public static let reinstatementReason = TextLimit(scalars: 0...500, allowsLines: true)
    /// The length of a sealed reason in bytes: 500 characters of four bytes, the bytes that sealing adds, and some reserve. It is never
    /// empty, because sealing adds bytes.
    public static let sealedReasonBytes = 1...2_304
    /// The length of a shop's sealed contact data in bytes: name, phone and address at four bytes a character, a place, the bytes that
    /// sealing adds, and some reserve.
    public static let sealedContactBytes = 1...2_048
    /// The length of a sealed text of a campaign in bytes: 2,000 characters of four bytes, the bytes that sealing adds, and some reserve.
    /// It is never empty, because sealing adds bytes.
    public static let sealedCampaignTextBytes = 1...8_192
    /// Seconds for which full cards of a closed shop are redeemed if its owner names no date, or was erased while the shop had staff:
    /// thirty days, so that customers who come once a month get their reward.
    public static let closedRedeemSeconds: Int64 = 30 * 86_400

    /// The largest number of days, after a shop's closing, for which its owner can let full cards be redeemed.
    public static let closingRedeemDaysMax = 90
    /// The number of open shops that one account may own: more than any chain has under one name.
    public static let openShopsPerAccount = 100
    /// The number of shops that one account may own, open or closed. A shop that the account transferred to another one does not count.
    /// Reading an account's shops reads all of them.
    public static let shopsPerAccount = 1_000
    /// The number of times that one shop may get a new owner. Reading a shop reads all of these transfers.
    public static let transfersPerShop = 100
    /// The length of a time zone's name in bytes. The longest IANA name has 32 bytes.
    public static let timeZoneBytes = 1...64
    /// The largest number of entries in a shop's opening hours: three for each day of the week.
    public static let openingHoursMax = 21
    /// A day in seconds.
    static let daySeconds: Int64 = 86_400

    // MARK: Reviews

    /// A rating in stars.
    public static let rating = 1...5
    /// The largest depth of a reply in a thread, where the review itself has depth 0. Deeper threads are unreadable on a phone.
    public static let replyDepthMax = 8
    /// The number of characters in a review, a reply, a notice or feedback. Texts are sealed before the decision, so the HTTP layer counts
    /// them.
    static let textCharacters = 1...2_000
    /// The length of a sealed text in bytes: 2,000 characters of four bytes, the bytes that sealing adds, and some reserve. It is never
    /// empty, because sealing adds bytes.
    public static let sealedTextBytes = 1...8_192

    // MARK: Notices

    /// The length of a sealed title in bytes: 100 characters of four bytes, the bytes that sealing adds, and some reserve.
    public static let sealedTitleBytes = 1...512

    /// The largest number of days by which a notice can be scheduled ahead.
    public static let noticeLeadDaysMax = 90

    // MARK: Accounts

    /// The length of a sealed phone number in bytes: sixteen characters, the bytes that sealing adds, and some reserve.
    public static let sealedPhoneBytesMax = 256
    /// Seconds until a phone number that an operator requested replaces a lost number: three days, in which the account's holder can
    /// object.
    public static let phoneChangeSeconds: Int64 = 72 * 3_600
    /// The length of a sealed field of a profile in bytes: 100 characters of four bytes, the bytes that sealing adds, and some reserve. It
    /// is never empty.
    public static let sealedProfileFieldBytes = 1...512
    /// The length of a sealed password hash in bytes: method, salt, hash, the bytes that sealing adds, and a reserve for longer hashes.
    public static let sealedPasswordBytes = 1...512
    /// The number of sessions that one account may have at once, enough for the phones, tablets and browsers of a family.
    public static let openSessionsMax = 20
    /// The number of newest spent tokens that a session remembers. Only tokens of an older format need this; tokens of the present format
    /// prove by themselves that they were issued.
    public static let spentTokensMax = 64
    /// The longest time for which a session is valid after its last refresh: 30 days, in seconds. A later expiry is shortened to this
    /// limit.
    public static let sessionValiditySeconds: Int64 = 30 * 86_400
}
