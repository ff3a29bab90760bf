import EventLog
import Foundation
import LMDB
import Testing

/// Tests a log whose map is full or nearly full, and a log whose file was truncated.
@Suite(.temporaryFolder) struct FullLogTests {
    private func fill(_ appender: Appender) -> EventLogError? {
        do throws(EventLogError) {
            for _ in 0..<1_000 {
                try appender.stage(event(.noted, card(1), payload: [UInt8](repeating: 7, count: 3_000)))
                try appender.commit()
            }
            return nil
        } catch { return error }
    }

    @Test("A full log stops the appender and continues with a larger map")
    func aFullLogStopsTheAppenderAndGoesOnWithMoreRoom() throws {
        let sandbox = try Sandbox()
        var options = EventLog.Options()
        options.map.bytes = 1 << 18
        let head: Position
        do {
            let log = try sandbox.open(options: options)
            let appender = try log.appender()
            let error = fill(appender)
            #expect(error?.code == .storage && error?.storage?.code == .mapFull)
            let stopped = #expect(throws: EventLogError.self) { try appender.stage(event(.noted)) }
            #expect(stopped?.code == .stopped)
            head = log.head
            #expect(head > Position(10))
            #expect(try log.positions(matching: .tags(card(1))).count == Int(head.rawValue))
        }
        let log = try sandbox.open()
        #expect(log.head == head)
        let appender = try log.appender()
        #expect(try appender.stage(event(.noted, card(1))) == head.next)
        try appender.commit()
        #expect(try log.positions(matching: .tags(card(1))).count == Int(head.rawValue) + 1)
    }

    @Test("A log causes one warning when 70 percent of its map are used, and the error of a full map names the setting")
    func aNearlyFullLogIsWarnedOf() throws {
        let sandbox = try Sandbox()
        var options = EventLog.Options()
        options.map = MapLimit(bytes: 1 << 20, setting: "--log-map-gib")
        let log = try sandbox.open(options: options)
        let appender = try log.appender()
        var looks = MapLooks()
        var warned: [MapUsage] = []
        var failure: EventLogError?
        while failure == nil {
            let before = log.mapUsage
            #expect(before.name == "log" && before.limitBytes == 1 << 20)
            #expect(before.isNearlyFull == (before.usedBytes * 100 >= before.limitBytes * 70))
            warned += looks.look(at: [before])
            do throws(EventLogError) {
                try appender.stage(event(.noted, card(1), payload: [UInt8](repeating: 7, count: 3_000)))
                try appender.commit()
            } catch { failure = error }
        }
        #expect(warned.count == 1 && warned.allSatisfy { 70..<80 ~= $0.percent && $0.remedy.contains("--log-map-gib") })
        #expect(failure?.storage?.code == .mapFull && failure?.remedy.contains("--log-map-gib") == true)
    }

    @Test("A map that was enlarged causes a new warning")
    func aWarningComesAgain() {
        func maps(_ log: Int, _ keys: Int) -> [MapUsage] {
            [MapUsage(name: "log", usedBytes: log, limitBytes: 1_000), MapUsage(name: "keys", usedBytes: keys, limitBytes: 1_000)]
        }
        var looks = MapLooks()
        let used = [maps(699, 0), maps(700, 0), maps(999, 0), maps(999, 701), maps(600, 701), maps(800, 701)]
        let seen = used.map { looks.look(at: $0).map(\.name) }
        #expect(seen == [[], ["log"], [], ["keys"], [], ["log"]])
    }

    @Test("A truncated log is damaged", arguments: [EventLog.Access.readOnly, .readWrite])
    func aLogThatWasCutOffIsDamaged(_ access: EventLog.Access) throws {
        let sandbox = try Sandbox()
        try sandbox.append((0..<200).map { _ in event(.noted, card(1), payload: [UInt8](repeating: 7, count: 500)) })
        let file = try #require(FileHandle(forUpdatingAtPath: sandbox.log + "/data.mdb"))
        try file.truncate(atOffset: 30_000)
        try file.close()
        let error = #expect(throws: EventLogError.self) { try sandbox.open(access) }
        #expect(error?.code == .damaged)
        #expect(error?.remedy.contains("backup") == true)
    }
}
