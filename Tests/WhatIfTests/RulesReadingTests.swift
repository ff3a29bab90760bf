import Loyalty
import LoyaltyCodec
import Testing

@testable import WhatIf

/// Rules files: their permitted content, and the message for each mistake.
@Suite struct RulesReadingTests {
    private func rules(_ text: String) throws(RulesError) -> ProgrammeRules { try ProgrammeRules(json: Array(text.utf8)) }

    @Test("The summary of rules names each shop that has a time zone of its own")
    func ownTimeZones() throws {
        let shop = ShopID(4).text
        let read = try rules(#"{"weekdays":{"monday":2},"timeZone":"Asia/Shanghai","shopTimeZones":{"\#(shop)":"Europe/Helsinki"}}"#)
        #expect(read.summary == "×2 on monday, time zone Asia/Shanghai, \(shop) in Europe/Helsinki")
    }

    @Test("An empty JSON object stands for the recorded rules")
    func emptyObject() throws {
        #expect(try rules("{}") == ProgrammeRules())
        #expect(try rules(" {\n} ").summary == "as recorded")
    }

    @Test("Every member of a rules file is read, and the summary states the changed rules")
    func everyMemberIsRead() throws {
        let (campaign, shop) = (CampaignID(17), ShopID(4))
        let read = try rules(
            """
            {"goal": 8, "stampsPerDayMax": 2, "minimumGapSeconds": null, "codeValidSeconds": 3600, "codeWorth": 3,
             "repeats": 2, "welcomeStamps": null, "bonuses": [{"days": ["monday", "sunday"], "from": "22:00", "to": "01:00", "factor": 2}],
             "milestones": [{"at": 3, "reward": "A cookie"}, {"at": 7, "reward": "A tea"}],
             "weekdays": {"monday": 2, "sunday": 10}, "redemption": "whenFull", "timeZone": "Asia/Shanghai",
             "shopTimeZones": {"\(shop.text)": "Europe/Helsinki"}, "campaigns": ["\(campaign.text)"], "shops": ["\(shop.text)"]}
            """)
        var expected = ProgrammeRules()
        expected.goal = 8
        expected.stampsPerDayMax = .set(2)
        expected.minimumGapSeconds = .removed
        expected.repeats = .set(2)
        expected.welcomeStamps = .removed
        expected.bonuses = .set([BonusHours(days: Weekdays(rawValue: 0x41), fromMinute: 1_320, toMinute: 60, factor: 2)])
        expected.milestones = .set([Milestone(at: 3, reward: "A cookie"), Milestone(at: 7, reward: "A tea")])
        expected.codeValidSeconds = 3_600
        expected.codeWorth = 3
        expected.weekdays = [.monday: 2, .sunday: 10]
        expected.redemption = .whenFull
        expected.timeZone = "Asia/Shanghai"
        expected.shopTimeZones = [shop: "Europe/Helsinki"]
        expected.campaigns = [campaign]
        expected.shops = [shop]
        #expect(read == expected)
        let begin =
            "goal 8, at most 2 stamps an account in 24 hours, no minimum gap, at most 2 cards an account, no welcome, "
            + "bonus hours monday,sunday 22:00-01:00 x2, milestones at 3, 7, codes valid 3600 s, "
        #expect(read.summary.hasPrefix(begin))
        var gap = ProgrammeRules()
        gap.minimumGapSeconds = .set(60)
        #expect(gap.summary == "60 s between codes of an account")
    }

    private static func bonus(_ days: String, _ from: String, _ to: String, _ factor: Int) -> String {
        "{\"bonuses\": [{\"days\": \(days), \"from\": \"\(from)\", \"to\": \"\(to)\", \"factor\": \(factor)}]}"
    }

    @Test("Bonus hours that end at 00:00 end at midnight, unless they begin at 00:00")
    func midnight() throws {
        let evening = BonusHours(days: Weekdays(rawValue: 1), fromMinute: 1_260, toMinute: 1_440, factor: 2)
        #expect(try rules(Self.bonus("[\"monday\"]", "21:00", "00:00", 2)).bonuses == .set([evening]))
    }

    private static let mistakes: [(String, String, String)] = [
        ("", "", "is no JSON"), ("{", "", "is no JSON"), ("[]", "", "must hold one JSON object"), ("{\"goal\": 8 9}", "", "is no JSON"),
        ("{\"gaol\": 8}", "/gaol", "is unknown. Known: goal, "), ("{\"a/b~\": 1, \"z\": 2}", "/a~1b~0", "is unknown"),
        ("{\"goal\": 0}", "/goal", "from 1 to 50"), ("{\"goal\": 51}", "/goal", "from 1 to 50"), ("{\"goal\": 8.5}", "/goal", "an integer"),
        ("{\"goal\": \"8\"}", "/goal", "an integer"), ("{\"goal\": true}", "/goal", "an integer"),
        ("{\"goal\": null}", "/goal", "an integer"),
        ("{\"goal\": 99999999999999999999}", "/goal", "an integer"), ("{\"stampsPerDayMax\": 0}", "/stampsPerDayMax", "or null for none"),
        ("{\"repeats\": 101}", "/repeats", "from 1 to 100"), ("{\"welcomeStamps\": 0}", "/welcomeStamps", "or null for none"),
        ("{\"bonuses\": 2}", "/bonuses", "a list"), ("{\"bonuses\": [2]}", "/bonuses/0", "an object with days, from, to, factor"),
        (bonus("\"monday\"", "08:00", "09:00", 2), "/bonuses", "at least one day"),
        (bonus("[\"someday\"]", "08:00", "09:00", 2), "/bonuses/0/days", "weekdays"),
        (bonus("[\"monday\"]", "8:00", "09:00", 2), "/bonuses/0/from", "time of day"),
        (bonus("[\"monday\"]", "08:00", "25:00", 2), "/bonuses/0/to", "time of day"),
        (bonus("[\"monday\"]", "08:00", "08:00", 2), "/bonuses", "differ"),
        (bonus("[\"monday\"]", "00:00", "00:00", 2), "/bonuses", "differ"),
        (bonus("[\"monday\"]", "08:00", "09:00", 6), "/bonuses/0/factor", "from 2 to 5"),
        ("{\"milestones\": 3}", "/milestones", "a list"), ("{\"milestones\": [3]}", "/milestones/0", "an object with at and reward"),
        ("{\"milestones\": [{\"at\": 0, \"reward\": \"x\"}]}", "/milestones/0/at", "from 1 to 49"),
        ("{\"milestones\": [{\"at\": 50, \"reward\": \"x\"}]}", "/milestones/0/at", "from 1 to 49"),
        ("{\"goal\": 8, \"milestones\": [{\"at\": 8, \"reward\": \"x\"}]}", "/milestones/0/at", "from 1 to 7"),
        ("{\"goal\": 1, \"milestones\": [{\"at\": 1, \"reward\": \"x\"}]}", "/milestones/0/at", "less than the goal"),
        ("{\"milestones\": [{\"at\": 2, \"reward\": \"x\"}, {\"at\": 2, \"reward\": \"y\"}]}", "/milestones/1/at", "from 3 to 49"),
        ("{\"milestones\": [{\"at\": 2, \"reward\": 3}]}", "/milestones/0", "an object with at and reward"),
        ("{\"minimumGapSeconds\": 86401}", "/minimumGapSeconds", "from 1 to 86400"),
        ("{\"codeValidSeconds\": 0}", "/codeValidSeconds", "from 1 to 86400"), ("{\"codeWorth\": 11}", "/codeWorth", "from 1 to 10"),
        ("{\"weekdays\": [1]}", "/weekdays", "must be an object"),
        ("{\"weekdays\": {\"Monday\": 2}}", "/weekdays/Monday", "Known: monday, "),
        ("{\"weekdays\": {\"monday\": 0}}", "/weekdays/monday", "from 1 to 10"),
        ("{\"redemption\": \"never\"}", "/redemption", "\"asInHistory\" or \"whenFull\""),
        ("{\"timeZone\": \"Mars/Base\"}", "/timeZone", "time zone"), ("{\"timeZone\": \"GMT+0530\"}", "/timeZone", "time zone"),
        ("{\"timeZone\": \"../../etc/passwd\"}", "/timeZone", "time zone"),
        ("{\"shopTimeZones\": {\"camp_1\": \"UTC\"}}", "/shopTimeZones/camp_1", "no shop's id"),
        ("{\"campaigns\": []}", "/campaigns", "at least one"), ("{\"campaigns\": \"all\"}", "/campaigns", "a list"),
        ("{\"campaigns\": [\"shop_01h5fskfsk4fpeqwnsyz5hj55t\"]}", "/campaigns/0", "camp_"),
        ("{\"shops\": [\"shop_01h5fskfsk4fpeqwnsyz5hj55t\", \"shop_01h5fskfsk4fpeqwnsyz5hj55t\"]}", "/shops/1", "twice"),
    ]

    @Test("The error for a mistake in a rules file names the mistake and its place", arguments: mistakes)
    func mistakePlace(_ text: String, _ place: String, _ detail: String) {
        let error = #expect(throws: RulesError.self) { try rules(text) }
        #expect(error?.place == place, "\(text)")
        #expect(error.map { "\($0)".contains(detail) } == true, "\(text): \(error.map { "\($0)" } ?? "")")
    }

    @Test("The error for several unknown members always names the alphabetically first one")
    func firstMistake() {
        let text = "{\"c\": 1, \"b\": 1, \"a\": 1, \"d\": 1}"
        for _ in 0..<10 {
            #expect(throws: RulesError("/a", "is unknown. Known: \(RulesReader.names.joined(separator: ", "))")) { try rules(text) }
        }
    }
}
