extension WebPage {
    /// The content of the page of what-if questions.
    public struct WhatIfView: Sendable {
        /// A campaign that can be asked about.
        public struct Campaign: Sendable {
            public let id: String
            public let title: String
            public let goal: Int
            /// The newest of those with the most counted stamps, which the form selects at first.
            public let isBusiest: Bool

            public init(id: String, title: String, goal: Int, isBusiest: Bool) {
                (self.id, self.title, self.goal, self.isBusiest) = (id, title, goal, isBusiest)
            }
        }

        /// One table of an answer.
        public struct Table: Sendable {
            public let title: String
            public let columns: [String]
            /// As many cells as columns; the first names the row.
            public let rows: [[String]]

            public init(title: String, columns: [String], rows: [[String]]) {
                (self.title, self.columns, self.rows) = (title, columns, rows)
            }
        }

        /// An answer in words and tables.
        public struct Answer: Sendable {
            public let asked: String
            public let sentences: [String]
            public var tables: [Table] = []
            /// For readers who cannot see the chart.
            public var chartSays: String?
            /// Today's program would decide some commands differently even under the recorded terms.
            public var isInexact = false

            public init(asked: String, sentences: [String]) { (self.asked, self.sentences) = (asked, sentences) }
        }

        /// A question's state, shown above the form.
        public enum Content: Sendable {
            case asking
            /// There is no session, or it must be renewed first.
            case signedOut
            case waiting(before: Int)
            /// Processed and all events; both 0 while they are searched for.
            case running(done: Int, of: Int)
            case answer(Answer)
            case stopped, tooLong, failed
        }

        public let shop: String
        public let path: String
        public let campaigns: [Campaign]
        public let content: Content
        /// As typed, by name.
        public let fields: [String: String]
        /// The shown question; nil for none.
        public let job: String?

        public init(
            shop: String, path: String, campaigns: [Campaign], content: Content, fields: [String: String] = [:], job: String? = nil
        ) {
            (self.shop, self.path, self.campaigns, self.content, self.fields, self.job) = (shop, path, campaigns, content, fields, job)
        }
    }

    /// The page with the form, and a question's progress or answer above it.
    public static func whatIf(_ view: WhatIfView, in frame: PageFrame) -> WebPage {
        WebPage(
            .whatIf, title: frame.language.say(.whatIfTitle), in: frame, script: .whatIf,
            fields: view.fields(in: frame).merging(view.shown(in: frame.language)) { _, own in own })
    }
}

extension WebPage.WhatIfView {
    private static let days: [(String, Word)] = [
        ("all", .whatIfEveryDay), ("workdays", .whatIfWorkdays), ("weekend", .whatIfWeekend), ("monday", .dayMonday),
        ("tuesday", .dayTuesday), ("wednesday", .dayWednesday), ("thursday", .dayThursday), ("friday", .dayFriday),
        ("saturday", .daySaturday), ("sunday", .daySunday),
    ]

    fileprivate func fields(in frame: PageFrame) -> [String: Any] {
        let language = frame.language
        let chosen = campaigns.first { $0.id == fields["campaign"] } ?? campaigns.first(where: \.isBusiest) ?? campaigns.first
        let goal = fields["goal"].flatMap { $0.isEmpty ? nil : $0 } ?? chosen.map { "\(max(1, $0.goal - 2))" } ?? ""
        func title(_ campaign: Campaign) -> String { campaign.title.isEmpty ? language.say(.unnamedCampaign) : campaign.title }
        func value(_ name: String, or usual: String) -> String { fields[name].flatMap { $0.isEmpty ? nil : $0 } ?? usual }
        return [
            "shop": shop.isEmpty ? language.say(.unnamedShop) : shop, "action": path, "isAsking": !campaigns.isEmpty,
            "numbers": String(path.dropLast("/what-if".count)), "editor": chosen.map { editor(of: $0.id) } ?? "",
            "isOfCampaign": chosen != nil && fields["campaign"] != nil,
            "campaigns": campaigns.map { campaign in
                let text = language.say(.whatIfCampaignOption, ["title": title(campaign), "goal": "\(campaign.goal)"])
                return ["value": campaign.id, "text": text, "isChosen": campaign.id == chosen?.id] as [String: Any]
            },
            "goal": goal,
            // The form's campaign can change without a reload, so the hint names the campaign whose goal it shows.
            "goalNow": chosen.map { language.say(.whatIfGoalHint, ["campaign": title($0), "goal": "\($0.goal)"]) } ?? "",
            "caps": options("cap", 1...10, none: .whatIfNoCap, in: language) { "\($0)" },
            "welcomes": options("welcome", 1...5, none: .whatIfNoWelcome, in: language) { "\($0)" },
            "factors": options("factor", 2...5, none: .whatIfNoBonus, in: language) { "× \($0)" },
            "days": Self.days.map { name, word in
                ["value": name, "text": language.say(word), "isChosen": name == value("days", or: "all")] as [String: Any]
            },
            "from": value("from", or: "14:00"), "to": value("to", or: "17:00"),
        ]
    }

    /// The campaign's form, filled in with the question's welcome and bonus hours.
    private func editor(of campaign: String) -> String {
        var query = ["id=\(campaign)"]
        if let welcome = fields["welcome"], Int(welcome) != nil { query.append("welcomeStamps=\(welcome)") }
        let names = Self.days.map(\.0).suffix(7)
        let sets = ["all": names, "workdays": names.prefix(5), "weekend": names.suffix(2)]
        let days = fields["days"].map { day in sets[day] ?? names.filter { $0 == day }[...] } ?? []
        if let factor = fields["factor"], Int(factor) != nil, let from = fields["from"], let to = fields["to"], !days.isEmpty {
            query.append("bonus=\(days.joined(separator: ","))+\(from)+\(to)+\(factor)")
        }
        return path.dropLast("/numbers/what-if".count) + "/campaign?" + query.joined(separator: "&")
    }

    /// Unchanged, none, or a number.
    private func options(
        _ name: String, _ range: ClosedRange<Int>, none: Word, in language: PageLanguage, _ text: (Int) -> String
    ) -> [[String: Any]] {
        let choices = [("", language.say(.whatIfAsItWas)), ("none", language.say(none))] + range.map { ("\($0)", text($0)) }
        return choices.map { value, text in ["value": value, "text": text, "isChosen": value == fields[name] ?? ""] }
    }

    fileprivate func shown(in language: PageLanguage) -> [String: Any] {
        switch content {
        case .asking: campaigns.isEmpty ? ["notice": language.say(.whatIfNoCampaign)] : [:]
        case .signedOut: ["isSignedOut": true]
        case .stopped: ["notice": language.say(.whatIfStopped)]
        case .tooLong: ["notice": language.say(.whatIfTooLong)]
        case .failed: ["notice": language.say(.whatIfFailed)]
        case .waiting(let before):
            progress(language.say(.whatIfWaiting, count: before + 1), 0, 0)
        case .running(let done, let total):
            progress(total == 0 ? language.say(.whatIfLooking) : language.say(.whatIfRunning), done, total)
        case .answer(let answer): ["answer": shown(answer, in: language)]
        }
    }

    private func progress(_ text: String, _ done: Int, _ total: Int) -> [String: Any] {
        var fields: [String: Any] = ["text": text, "job": job ?? ""]
        if total > 0 { fields["known"] = ["done": "\(done)", "total": "\(total)"] }
        return ["progress": fields]
    }

    private func title(of answer: Answer, in language: PageLanguage) -> String {
        guard let campaign = campaigns.first(where: { $0.id == fields["campaign"] }), !campaign.title.isEmpty else { return answer.asked }
        return language.say(.whatIfAsked, ["campaign": campaign.title, "asked": answer.asked])
    }

    private func shown(_ answer: Answer, in language: PageLanguage) -> [String: Any] {
        var fields: [String: Any] = [
            "asked": title(of: answer, in: language), "sentences": answer.sentences,
            "tables": answer.tables.map { table in
                [
                    "title": table.title,
                    "columns": table.columns.enumerated().map { ["text": $1, "isNumber": $0 > 0] as [String: Any] },
                    "rows": table.rows.map { ["head": $0.first ?? "", "cells": Array($0.dropFirst())] as [String: Any] },
                ] as [String: Any]
            },
            "isInexact": answer.isInexact,
        ]
        if let says = answer.chartSays { fields["chart"] = ["address": "\(job ?? "")/chart", "says": says] }
        return fields
    }
}
