import Loyalty
import Search
import Testing

/// The texts that a query matches.
@Suite(.timeLimit(.minutes(15))) struct WordTests {
    private static let here = Coordinate(latitude: 31.23, longitude: 121.47)
    private static let names = [
        "好喝奶茶店", "茶奶奶", "Café Zoë", "ＣｏＣｏ都可", "Straße Øl", "一点点🧋", "ティー ガーデン", "Tea-House No. 42", "чай Ёлка", "ชานมไข่มุก",
        "奶 茶", "ﾃｨｰ",
    ]

    @Test(
        "Words match by prefix, Chinese text matches by substring, and neither depends on spelling variants",
        arguments: [
            ("奶茶", ["好喝奶茶店"]), ("茶店", ["好喝奶茶店"]), ("喝奶茶店", ["好喝奶茶店"]), ("奶茶好", []), ("奶茶 好喝", ["好喝奶茶店"]),
            ("茶", ["奶 茶", "茶奶奶", "好喝奶茶店"]), ("奶", ["奶 茶", "茶奶奶", "好喝奶茶店"]), ("奶奶", ["茶奶奶"]), ("店", ["好喝奶茶店"]),
            ("cafe", ["Café Zoë"]), ("CAFÉ", ["Café Zoë"]), ("caf zo", ["Café Zoë"]), ("zoe cafe", ["Café Zoë"]), ("afe", []),
            ("cafes", []),
            ("coco", ["ＣｏＣｏ都可"]), ("ｃｏ", ["ＣｏＣｏ都可"]), ("coco都可", ["ＣｏＣｏ都可"]), ("都可", ["ＣｏＣｏ都可"]),
            ("strasse", ["Straße Øl"]), ("STRASSE ol", ["Straße Øl"]), ("🧋", ["一点点🧋"]), ("点🧋", ["一点点🧋"]), ("点点", ["一点点🧋"]),
            ("ティー", ["ﾃｨｰ", "ティー ガーデン"]), ("ｶﾞｰﾃﾞﾝ", ["ティー ガーデン"]), ("42", ["Tea-House No. 42"]), ("house tea", ["Tea-House No. 42"]),
            ("ЧАЙ", ["чай Ёлка"]), ("елка", ["чай Ёлка"]), ("นม", ["ชานมไข่มุก"]),
            ("!?", []), ("、。", []), ("\u{200D}", []),
        ])
    func finds(_ query: String, _ expected: [String]) async throws {
        var town = Town()
        for name in Self.names { town.open(name, at: Self.here) }
        let open = try OpenDiscovery()
        try await open.append(town.news())
        let byID = Dictionary(uniqueKeysWithValues: town.shops.map { ($0.id, $0.name) })
        #expect(try await open.all(ShopSearch(text: query)).map { byID[$0.id] } == expected)
        let near = Near(center: Self.here)
        #expect(try await open.all(ShopSearch(near: near, text: query)).map { byID[$0.id] } == expected.reversed())
        try open.close()
    }

    @Test("A campaign is found by its own words and its shop's words combined")
    func campaigns() async throws {
        var town = Town()
        let shop = town.open("好喝奶茶店", address: "南京东路 1 号", at: Self.here)
        town.publish("Ten cups, the eleventh free", at: shop)
        let open = try OpenDiscovery()
        try await open.append(town.news())
        for (text, count) in [("奶茶", 1), ("eleventh 奶茶", 1), ("南京东路", 1), ("twelfth 奶茶", 0)] {
            #expect(try await open.all(CampaignSearch(text: text, now: Town.now)).count == count, "\(text)")
        }
        try open.close()
    }

    @Test(
        "Typed text is never interpreted as a query language",
        arguments: [
            "\"", "\"\"", "' OR 1=1 --", "tea OR house", "tea AND", "NOT tea", "NEAR(tea house)", "tea*", "*", "words:tea", "-tea", "^tea",
            "{words}:tea", "tea \"", "(tea", "tea)", "\\", "%", "tea;DROP TABLE shops", "\u{0}tea", "tea\u{0}", "tea + house", "a\"b\"c",
            ":",
            "tea NEAR/2 house", "- - -", "\u{FEFF}tea", "🧋\"🧋", "茶\"奶", "\u{E000}",
        ])
    func injection(_ query: String) async throws {
        var town = Town()
        for name in ["Tea House", "OR", "AND", "NOT", "NEAR 2", "words", "a b c", "Drop"] { town.open(name, at: Self.here) }
        let open = try OpenDiscovery()
        try await open.append(town.news())
        let plain = PlainWords.query(query)
        let expected = town.shops.filter { PlainWords($0.name).contains(plain) }.map(\.id)
        #expect(try await open.all(ShopSearch(text: query)).map(\.id) == expected.reversed())
        #expect(try await open.all(ShopSearch(text: nil)).count == 8)
        try open.close()
    }
}
