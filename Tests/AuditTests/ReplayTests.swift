import Audit
import EventLog
import Histories
import Loyalty
import LoyaltyCodec
import Projections
import ReadModels
import Testing

/// The position at which a replay ends, and the events that a replay refuses.
@Suite struct ReplayTests {
    @Test("A replay ends at the given position, or at the log's end if the log is shorter", arguments: [0, 1, 57, 200, 5_000])
    func endsWithAPosition(_ number: UInt64) throws {
        let sample = try AuditSample("position", count: 200)
        let log = try sample.data.log(.readOnly)
        let replay = try Replay(of: log, until: .position(Position(number)))
        #expect(replay.position == min(Position(number), log.head))
        let prefix = try TestData.with(sample.history.facts.prefix(Int(number)))
        #expect(StateDigest(of: replay) == StateDigest(of: try Replay(of: try prefix.log(.readOnly))))
    }

    /// Events go in batches from a reading thread to a folding thread; neither batches nor threads may affect the result.
    @Test("A replay in steps of any length reaches the same state as a replay in one step")
    func stepLengths() throws {
        let sample = try AuditSample("steps", count: 3_000)
        let log = try sample.data.log(.readOnly)
        let whole = StateDigest(of: try Replay(of: log))
        #expect(whole.models == (try ReadModels.models.map { try Self.stored($0, in: sample.data) }))
        var replay = try Replay(of: log, until: .position(Position(1)))
        for end in [2, 1_023, 1_024, 1_025, 1_026, 2_050, 2_900] as [UInt64] {
            try replay.advance(until: .position(Position(end)))
            let (copy, prefix) = (replay, try Replay(of: log, until: .position(Position(end))))
            #expect(StateDigest(of: copy) == StateDigest(of: prefix) && copy.position == Position(end))
        }
        let before = (replay, StateDigest(of: replay))
        try replay.advance(until: .head)
        #expect(StateDigest(of: replay) == whole)
        #expect(StateDigest(of: before.0) == before.1)
    }

    private static func stored<Model: Projection>(_ model: Model.Type, in data: TestData) throws -> ModelDigest {
        try ModelDigest(stored: model, in: data.models)
    }

    @Test("A replay up to a time includes the events up to that time and no later one")
    func endsWithATime() throws {
        let sample = try AuditSample("time", count: 200)
        let facts = sample.history.facts
        let log = try sample.data.log(.readOnly)
        for fact in [facts[0], facts[90], facts[199]] {
            let at = Timestamp(microseconds: fact.time.microseconds)
            let count = facts.count { $0.time <= fact.time }
            #expect(try Replay(of: log, until: .time(at)).position == Position(UInt64(count)))
            let before = Timestamp(microseconds: fact.time.microseconds - 1)
            #expect(try Replay(of: log, until: .time(before)).position == Position(UInt64(facts.count { $0.time < fact.time })))
        }
    }

    @Test("A replay up to a time does not include events of that time that were imported later")
    func laterImport() throws {
        let sample = try AuditSample("import", count: 100)
        let facts = sample.history.facts
        let log = try sample.data.log()
        let old = facts[0].time.advanced(bySeconds: -1_000)
        let imported = Fact(position: UInt64(facts.count) + 1, time: old, actor: facts[0].actor, event: facts[0].event)
        try log.append([imported], with: try log.appender())
        #expect(try Replay(of: log, until: .time(Timestamp(microseconds: old.microseconds))).position == .start)
    }

    @Test("The bound of a replay is read from a position or an RFC 3339 time, and other texts are no bound")
    func boundsAreRead() {
        #expect(ReplayBound(text: "17") == .position(Position(17)))
        #expect(ReplayBound(text: "1970-01-01T00:00:01Z") == .time(Timestamp(microseconds: 1_000_000)))
        for text in ["", "-1", "17.0", "yesterday", "2026-11-21", "18446744073709551616"] { #expect(ReplayBound(text: text) == nil) }
    }

    @Test("A model that is replayed alone has the same digest as among all models")
    func singleModel() throws {
        let sample = try AuditSample("single")
        let log = try sample.data.log(.readOnly)
        let all = StateDigest(of: try Replay(of: log)).models
        for digest in all {
            #expect(StateDigest(of: try Replay(of: log, models: [digest.model])).models == [digest])
        }
    }

    @Test("The last progress report of a replay has the position of the log's last event")
    func progressIsReported() throws {
        let sample = try AuditSample("progress", count: 150)
        var last = Position.start
        _ = try Replay(of: try sample.data.log(.readOnly)) { last = $0 }
        #expect(last == Position(UInt64(sample.history.facts.count)))
    }

    @Test("Models of cards refuse a stamp of another holder or shop than its card's, and other models skip it", arguments: [true, false])
    func foreignStamp(_ otherHolder: Bool) throws {
        let sample = try AuditSample("stranger", count: 200)
        let log = try sample.data.log()
        let (known, first) = try #require(
            sample.history.facts.lazy.compactMap { fact -> (CardOpened, Fact)? in
                if case .cardOpened(let card) = fact.event { (card, fact) } else { nil }
            }.first)
        let stamped = CardStamped(
            card: known.card, code: CodeID(1), campaign: known.campaign, shop: otherHolder ? known.shop : ShopID(1),
            holder: otherHolder ? AccountID(1) : known.holder, stamps: 1)
        let appender = try log.appender()
        let bad = try appender.stage(try LoyaltyCodec.encode(.cardStamped(stamped), by: first.actor, at: first.time, mark: nil))
        try appender.commit()
        for models in [nil, [CardProgress.name], [Statistics.name], [Journeys.name]] {
            let error = #expect(throws: AuditError.self) { try Replay(of: log, models: models) }
            #expect(error?.code == .event && error?.position == bad)
        }
        #expect(try Replay(of: log, models: [Notices.name, ShopRatings.name]).position == bad)
    }

    @Test("An event that cannot be decoded or applied ends a replay with an error that has its position", arguments: 0..<3)
    func impossibleEvent(_ round: Int) throws {
        let sample = try AuditSample("impossible", count: 100)
        let opened = try #require(sample.history.facts.first { if case .cardOpened = $0.event { true } else { false } })
        let stray = CardStamped(card: CardID(1), code: CodeID(1), campaign: CampaignID(1), shop: ShopID(1), holder: AccountID(1), stamps: 1)
        let events = [
            NewEvent(type: .cardStamped, time: Timestamp(microseconds: 1)),
            try LoyaltyCodec.encode(.cardStamped(stray), by: AccountID(1), at: opened.time, mark: nil),
            try LoyaltyCodec.encode(opened.event, by: opened.actor, at: opened.time, mark: nil),
        ]
        let log = try sample.data.log()
        let appender = try log.appender()
        let bad = try appender.stage(events[round])
        try appender.commit()
        let error = #expect(throws: AuditError.self) { try Replay(of: log) }
        #expect(error?.code == .event)
        #expect(error?.position == bad)
        #expect(error?.remedy.isEmpty == false)
        #expect(try Replay(of: log, until: .position(Position(bad.rawValue - 1))).position < bad)
    }
}
