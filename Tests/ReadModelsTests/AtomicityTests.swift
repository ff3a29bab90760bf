import EventLog
import Histories
import LMDB
import Loyalty
import Seeds
import Testing

@testable import Projections
@testable import ReadModels

/// A model's rows and its position change in one transaction, wherever a crash interrupts the process.
@Suite struct AtomicityTests {
    private let history: RandomHistory

    init() {
        var history = RandomHistory(random: SeededRandom.announced("atomicity"))
        history.grow(to: 600)
        self.history = history
    }

    /// After each batch of 97 events the environment is dropped without being closed, as in a crash.
    @Test("A model resumes at its stored position after each crash, and its rows match that position")
    func afterCrash() throws {
        let data = try TestData.with(history.facts)
        let log = try data.log()
        while try step(data, log) < log.head {}
        let opened = try OpenModel.open(CardProgress.self, in: data.models, log: log)
        #expect(opened.reason == nil)
        try expect(CardProgress(opened.store), holds: history.facts.count)
    }

    private func step(_ data: TestData, _ log: EventLog) throws -> Position {
        let opened = try OpenModel.open(CardProgress.self, in: data.models, log: log)
        let model = try CardProgress(opened.store)
        let options = UpdateOptions(eventsPerBatch: 97, cachedMax: 8)
        var updater = try ModelUpdater(model, in: opened.store, log: log, options: options)
        try expect(model, holds: Int(updater.position.rawValue))
        try updater.advance(towards: log.head)
        return updater.position
    }

    private func expect(_ model: CardProgress, holds count: Int) throws {
        #expect(try model.store.mark().position == Position(UInt64(count)))
        try expectRows(model, count)
    }

    /// The model is dropped after every sixtieth event, as in a crash. Only events after the stored position have to be scanned again.
    @Test("The position after an irrelevant event is not stored each time, but never lags by four events")
    func irrelevantEvents() throws {
        let data = try TestData.with(history.facts)
        let log = try data.log()
        var stored: Set<UInt64> = []
        var (shown, settled) = (Position.start, Position.start)
        while shown < log.head {
            let opened = try OpenModel.open(CardProgress.self, in: data.models, log: log)
            let model = try CardProgress(opened.store)
            var updater = try ModelUpdater(
                model, in: opened.store, log: log, options: UpdateOptions(eventsPerBatch: 1, cachedMax: 8, unstoredMax: 4))
            for _ in 0..<60 where updater.position < log.head {
                try updater.advance(towards: log.head)
                let mark = try model.store.mark().position
                stored.insert(mark.rawValue)
                #expect(mark <= updater.position && updater.position.rawValue - mark.rawValue < 4)
            }
            shown = updater.position
            try expectRows(model, Int(shown.rawValue))
            guard shown == log.head else { continue }
            try updater.settle()
            settled = try model.store.mark().position
        }
        #expect(settled == log.head)
        #expect(stored.count < history.facts.count * 9 / 10, "\(stored.count) of \(history.facts.count) positions were stored")
    }

    private func expectRows(_ model: CardProgress, _ count: Int) throws {
        let before = Oracle(history.facts.prefix(count)).cards
        for id in Oracle(history.facts).cards.keys { #expect(try model.card(id) == before[id]) }
    }

    @Test("An event that a model refuses leaves no row and no position of its batch")
    func refusedEvent() throws {
        let data = try TestData.with(history.facts)
        let log = try data.log()
        let last = UInt64(history.facts.count)
        let stray = CardStamped(
            card: CardID(1), code: CodeID(1), campaign: CampaignID(1), shop: ShopID(1), holder: AccountID(1), stamps: 1)
        let fact = Fact(position: last + 1, time: history.now, actor: AccountID(1), event: .cardStamped(stray))
        try log.append([fact], with: try log.appender())
        let opened = try OpenModel.open(CardProgress.self, in: data.models, log: log)
        let model = try CardProgress(opened.store)
        var updater = try ModelUpdater(model, in: opened.store, log: log, options: .following)
        let error = #expect(throws: ReadModelError.self) { try updater.advance(towards: log.head) }
        #expect(error?.code == .eventRefused)
        #expect(error?.position == Position(last + 1))
        #expect(error?.eventType == "CardStamped")
        #expect(try opened.store.mark().position == .start)
        for id in Oracle(history.facts).cards.keys { #expect(try model.card(id) == nil) }
    }

    @Test(
        "A model's rows have the same bytes for any size of batch and cache, decoded or read in place",
        arguments: [(1, 0), (7, 3), (50, 0), (50, 1_000), (10_000, 0)])
    func sameRows(_ events: Int, _ cached: Int) throws {
        let data = try TestData.with(history.facts)
        let options = UpdateOptions(eventsPerBatch: events, changesPerBatch: 5, cachedMax: cached)
        for type in ReadModels.models { try expectSameRows(of: type, in: data, options) }
    }

    private func expectSameRows<Model: ReadModel>(of type: Model.Type, in data: TestData, _ options: UpdateOptions) throws {
        let whole = try rows(of: type, in: data, .building)
        // `Deadlines` is exempt, because few deadlines are pending at the end of a history.
        #expect(whole.count > 20 || Model.name == Deadlines.name, "\(Model.name)")
        #expect(try rows(of: type, in: data, options) == whole, "\(Model.name)")
        #expect(try rows(of: Decoding<Model>.self, in: data, options) == whole, "\(Model.name), everything decoded")
    }

    private func rows<Model: ReadModel>(of type: Model.Type, in data: TestData, _ options: UpdateOptions) throws -> [[UInt8]] {
        let log = try data.log()
        let folder = ModelFolder(models: data.models, model: Model.name)
        let opened = try OpenModel.make(folder.next(schemaVersion: Model.schemaVersion), .requested, in: folder)
        var updater = try ModelUpdater(try Model(opened.store), in: opened.store, log: log, options: options)
        while updater.position < log.head { try updater.advance(towards: log.head) }
        return try dump(opened.store, Model.tables)
    }

    private func dump(_ store: ModelStore, _ tables: [ModelTable]) throws -> [[UInt8]] {
        let environment = store.environment
        let snapshot = try environment.snapshot()
        var rows: [[UInt8]] = []
        for table in tables {
            var cursor = try snapshot.cursor(try store.table(table))
            while try cursor.next() {
                var row: [UInt8] = []
                row.append(copying: cursor.key)
                row.append(copying: cursor.value)
                rows.append(row)
            }
        }
        return rows
    }
}
