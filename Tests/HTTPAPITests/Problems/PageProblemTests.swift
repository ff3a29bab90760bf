import Testing
import WebPages
import WhatIf

@testable import HTTPAPI

/// Tests the texts with which pages explain refusals. The codes of refusals are those of the API description, which `DescriptionTests`
/// compares with `ProblemCode`.
@Suite("Problems on pages")
struct PageProblemTests {
    /// Technical words that mean nothing to a page's reader: names of headers, fields and tokens.
    private static let programs = [
        "Idempotency", "If-Match", "Retry-After", "ETag", "Allow", "application/json", "errors", "token", "令牌", "标头",
    ]
    /// Problems that the scripts of pages detect themselves. They are no problem codes of the API, but the keys of their texts have the
    /// same form.
    private static let ownCodes: Set = [
        "lost", "defect", "wait", "signedOut", "cookiesRefused", "otherShop", "campaignMissing", "paperMissing", "phoneMissing",
        "earlierFirst", "stoppedAsking",
    ]

    @Test("Every code has a sentence for people in both languages", arguments: ProblemCode.allCases)
    func sentences(_ code: ProblemCode) {
        var details: Set<String> = []
        for language in PageLanguage.allCases {
            let text = code.text(in: language)
            #expect(!text.title.isEmpty && !text.detail.isEmpty)
            #expect(Self.programs.filter { text.detail.contains($0) } == [], "\(language.rawValue): \(text.detail)")
            details.insert(text.detail)
        }
        #expect(details.count == PageLanguage.allCases.count, "each language has a sentence of its own")
    }

    @Test("Every word of the pages that is named after a problem code has an existing code")
    func codes() {
        let codes = Set(ProblemCode.allCases.map(\.rawValue)).union(Self.ownCodes)
        for word in Word.allCases {
            guard let match = "\(word)".firstMatch(of: /(?:^p|P)roblem([A-Z]\w*)$/) else { continue }
            let code = match.1.prefix(1).lowercased() + match.1.dropFirst()
            #expect(codes.contains(code), "\(word)")
        }
    }

    @Test("Every reason of a refusal under other terms has its line in the table", arguments: Refusal.Reason.allCases)
    func reasons(_ reason: Refusal.Reason) {
        #expect(WhatIfAnswer.reasons.contains(WhatIfAnswer.word(of: reason)))
        #expect(WhatIfAnswer.word(of: .paperFull) == .whatIfPaperFull && Set(WhatIfAnswer.reasons).count == WhatIfAnswer.reasons.count)
    }
}
