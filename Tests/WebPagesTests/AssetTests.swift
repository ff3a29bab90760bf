import Testing

@testable import WebPages

@Suite struct AssetTests {
    @Test("Every template can be read")
    func templates() {
        #expect(Template.readable == TemplateName.allCases)
    }

    @Test("Everything that a page names under /assets/ exists")
    func named() {
        for language in PageLanguage.allCases {
            let html = WebPage.notFound(in: PageFrame(language: language, path: "/", publicURL: "https://tea.example")).html
            let named = html.matches(of: #/"(\/assets\/[^"#]+)/#).map { String($0.1) }
            #expect(named.count >= 4 && named.allSatisfy { Asset.all[$0] != nil }, "\(named)")
            #expect(Asset.all[language.wordsPath] != nil)
        }
        for script in Script.allCases { #expect(Asset.all[script.path] != nil && script.imported.allSatisfy { Asset.all[$0] != nil }) }
    }

    @Test("An address contains the hash of its content, and a compressed form is smaller and names gzip as its encoding")
    func content() {
        for asset in Asset.all.values {
            #expect(!asset.plain.isEmpty && asset.entityTag != asset.packedEntityTag)
            if !asset.isFixed { #expect(asset.path.contains(asset.entityTag.dropFirst().dropLast()), "\(asset.path)") }
            guard let packed = asset.packed else { continue }
            #expect(packed.count < asset.plain.count && packed.starts(with: [0x1F, 0x8B]))
        }
        #expect(Asset.all["/favicon.ico"] != nil && Asset.all["/manifest.webmanifest"] != nil)
    }

    @Test("The values of a text's placeholders are filled in once, and braces in a value stay as they are")
    func words() {
        let english = PageLanguage.english
        #expect(english.say(.collectAt, ["shop": "{goal} & {shop}", "goal": "10"]) == "{goal} & {shop}: collect 10 stamps")
        #expect(english.say(.fromTo, ["from": "a"]) == "From a to {to}")
        #expect(english.say(.stampCount, count: 1) == "One stamp" && english.say(.stampCount, count: 0) == "0 stamps")
        for word in Word.allCases { #expect(PageLanguage.allCases.allSatisfy { !$0.say(word).isEmpty }, "\(word)") }
    }
}
