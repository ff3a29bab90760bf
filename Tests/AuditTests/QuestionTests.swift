import Archive
import Audit
import EventLog
import Foundation
import Histories
import LMDB
import Loyalty
import LoyaltyCodec
import Projections
import ReadModels
import Testing

/// An operator's questions, answered from the log and the files without a running service.
@Suite struct QuestionTests {
    @Test("The account that used a code is found by the code's id and by its keyed hash")
    func who() throws {
        let sample = try AuditSample("who")
        let log = try sample.data.log(.readOnly)
        var verdicts = Set<String>()
        for fact in sample.history.facts {
            guard case .codeIssued(let issued) = fact.event else { continue }
            let byID = try #require(CodeFate(id: issued.code.text))
            let answer = try #require(try byID.answers(in: log).first)
            let named = sample.history.facts.filter { FactText.line($0).contains(issued.code.text) }
            #expect(answer.lines == named.map(FactText.line))
            let bySecret = try CodeFate(stampCode: issued.secret, redemptionCode: Secret(1)).answers(in: log)
            #expect(bySecret.contains(answer))
            let stamped = named.first { if case .cardStamped = $0.event { true } else { false } }
            #expect(answer.verdict.hasPrefix("used by") == (stamped != nil), "\(answer.verdict)")
            if let stamped { #expect(answer.verdict.contains("position \(stamped.position)")) }
            verdicts.insert(String(answer.verdict.prefix(5)))
        }
        #expect(verdicts.count > 1, "used and unused codes: \(verdicts)")
        #expect(CodeFate(id: "card_01j8mgad50eydbysbr2yaq7mfm") == nil && CodeFate(id: "K7QF-2M9X") == nil)
        #expect(try CodeFate(stampCode: Secret(2), redemptionCode: Secret(3)).answers(in: log).isEmpty)
    }

    @Test("A code on a paper card is unused, used or lapsed; the card is found by its id and by the two parts of its code")
    func papers() throws {
        let facts = FixtureStory.lapsing()
        let log = try TestData.with(facts).log(.readOnly)
        var verdicts: [String] = []
        for fact in facts {
            guard case .codeIssued(let issued) = fact.event else { continue }
            let answers = try #require(CodeFate(id: issued.code.text)).answers(in: log)
            verdicts.append(String(try #require(answers.first).verdict.prefix(6)))
        }
        #expect(verdicts == ["used b", "lapsed", "waits "])
        let prints = facts.compactMap { fact -> PaperCardsPrinted? in
            guard case .paperCardsPrinted(let printed) = fact.event else { return nil }
            return printed
        }
        let printed = try #require(prints.first)
        func paper(_ number: Int) throws -> CodeFate.Answer? {
            try CodeFate(printCode: printed.secret, number: number).answers(in: log).first
        }
        #expect(try paper(0)?.verdict.hasPrefix("taken by") == true && paper(0)?.lines.count == 4)
        #expect(try paper(1)?.verdict == "1 stamp waits on it, and nobody has taken it")
        #expect(try paper(2)?.verdict == "nothing waits on it, and nobody has taken it" && paper(2)?.lines.count == 1)
        #expect(try paper(3) == nil)
        let byID = try #require(CodeFate(id: PaperName(print: printed.print, number: 0).id.text)).answers(in: log)
        #expect(byID.first?.verdict.hasPrefix("taken by") == true && byID.first?.lines.count == 3)
    }

    @Test("The size of a folder is the sum of its events by kind and of its files")
    func size() throws {
        let sample = try AuditSample("size")
        let report = try SizeReport(of: AuditedFolder(sample.data.path))
        #expect(report.kinds.reduce(0) { $0 + $1.events } == sample.history.facts.count)
        #expect(report.kinds.map(\.bytes) == report.kinds.map(\.bytes).sorted(by: >))
        let names = Set(report.parts.map(\.name))
        #expect(names.isSuperset(of: ["log", "index", "card-progress"]), "\(names)")
        #expect(report.parts.allSatisfy { $0.bytes > 0 && $0.freeBytes < $0.bytes && !$0.remedy.isEmpty }, "\(report.parts)")
        let log = try #require(report.parts.first { $0.name == "log" })
        #expect(log.freeBytes > 0, "each commit frees pages of the previous commit")
        #expect(log.savedBytes == 0, "only a copy would be without the log's free pages")
        let folder = URL(filePath: DataFolder(sample.data.path).log)
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        let bytes = try files.reduce(0) { try $0 + Data(contentsOf: $1).count }
        #expect(log.bytes <= bytes + 4_096 * files.count, "a file takes at most one block more than its bytes")
    }

    @Test("The size report promises no more bytes than the removal of a model's replaced generation frees")
    func replacedGeneration() throws {
        let sample = try AuditSample("replaced generation", count: 300)
        let rebuild = Rebuild(DataFolder(sample.data.path), log: try sample.data.log(.readOnly))
        for result in rebuild.all(.build, of: [CardProgress.self]) { _ = try result.get() }
        let copy = AuditSample(history: sample.history, data: try sample.data.copy())
        // Rows that are added and then deleted leave free pages in the generation in use.
        for isAdding in [true, false] {
            try copy.tamper(CardProgress.self) { store, tables, transaction in
                for number in 1...2_000 {
                    let key = RowKey(UInt128(number))
                    if isAdding {
                        try store.put(tables["cards"]!, key, [1].span, in: &transaction)
                    } else {
                        _ = try transaction.delete(tables["cards"]!, key.bytes)
                    }
                }
            }
        }
        func part() throws -> SizeReport.Part {
            try #require(try SizeReport(of: AuditedFolder(copy.data.path)).parts.first { $0.name == CardProgress.name })
        }
        let before = try part()
        #expect(before.savedBytes > 0 && before.remedy.contains("--forget-old"), "\(before)")
        try ModelFolder(models: copy.data.models, model: CardProgress.name).forgetPrevious()
        let after = try part()
        #expect(before.savedBytes <= before.bytes - after.bytes, "\(before) \(after)")
    }

    @Test("A card's history since a moment is the last part of its whole history")
    func since() throws {
        let sample = try AuditSample("since")
        let log = try sample.data.log(.readOnly)
        let card = try #require(sample.history.facts.last { $0.event.card != nil }?.event.card)
        let life = try #require(LifeOf(card.text))
        func lines(_ since: Timestamp?) throws -> [String] {
            var lines: [String] = []
            _ = try life.forEach(in: log, json: false, since: since) { line in
                lines.append(line)
                return true
            }
            return lines
        }
        let own = sample.history.facts.filter { $0.event.card == card }
        let last = try #require(own.last)
        #expect(try lines(nil).count == own.count)
        let late = try lines(Timestamp(microseconds: last.time.microseconds))
        #expect(late == own.filter { $0.time >= last.time }.map(FactText.line))
        #expect(try lines(Timestamp(microseconds: last.time.microseconds + 1)).isEmpty)
    }

    @Test("A checkup names open permissions, a clock that is behind, and missing backups")
    func checkup() throws {
        let sample = try AuditSample("checkup")
        let folder = try AuditedFolder(sample.data.path)
        let newest = try #require(sample.history.facts.last).time.microseconds
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: sample.data.path)
        let well = try Checkup(of: folder, now: Timestamp(microseconds: newest + 1))
        func line(_ subject: String, _ checkup: Checkup) -> Checkup.Line? { checkup.lines.first { $0.subject == subject } }
        #expect(line("clock", well)?.verdict == .ok)
        #expect(line("permissions", well)?.verdict == .warning)
        #expect(line("backup", well)?.verdict == .warning && line("backup", well)?.remedy.contains("greentea-audit backup") == true)
        let late = try Checkup(of: folder, now: Timestamp(microseconds: newest - 60_000_000))
        #expect(line("clock", late)?.verdict == .bad && !late.isWell)
        #expect(late.lines.allSatisfy { ($0.verdict == .ok) == $0.remedy.isEmpty }, "\(late.lines)")
        #expect(FileManager.default.createFile(atPath: sample.data.path + "/last-backup", contents: nil))
        let noted = try Checkup(of: folder, now: Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1e6)))
        #expect(line("backup", noted)?.verdict == .ok, "\(noted.lines)")
    }
}
