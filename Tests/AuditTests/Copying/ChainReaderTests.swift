import Histories
import Testing

@testable import Archive
@testable import Audit

/// Lists of long chains, and descriptions of increments with impossible numbers.
@Suite struct ChainReaderTests {
    @Test("A list of many increments reads each link once, whether the chain is whole or broken", arguments: [false, true])
    func linear(isBroken: Bool) throws {
        let (fixture, count) = (try ChainFixture("linear"), 12)
        for number in 1...count {
            _ = try fixture.put("picture \(number)")
            _ = try #require(try fixture.increment("inc\(number)", onto: number == 1 ? "full" : "inc\(number - 1)"))
        }
        if isBroken { try fixture.flip("inc1/increment") }
        for isVerifying in [false, true] {
            let reader = ChainReader()
            let list = try BackupList(of: fixture.folder, in: fixture.place, verifying: isVerifying, inspecting: .ifQuick, reader: reader)
            #expect(list.copies.count == count + 1 && list.isWell != isBroken)
            // The reader caches only the descriptions that it could read. So it reads the damaged description of the broken chain again,
            // but at most four times.
            #expect(reader.readCount <= count + 1 + (isBroken ? 4 : 0), "\(reader.readCount)")
        }
    }

    @Test(
        "A description with impossible numbers is damaged, whatever its digest says",
        arguments: [
            (#""through":[0-9]+"#, #""through":18446744073709551615"#), (#""bytes":[0-9]+"#, #""bytes":9223372036854775807"#),
            (#""bytes":[0-9]+"#, #""bytes":-1"#), (#""after":[0-9]+"#, #""after":18446744073709551615"#),
        ])
    func impossible(pattern: String, replacement: String) throws {
        let fixture = try ChainFixture("impossible")
        try fixture.grow(to: 600)
        _ = try fixture.increment("inc1", onto: "full")
        try fixture.rewrite("inc1", pattern, with: replacement)
        let copy = try #require(try fixture.list().copies.last)
        guard case .damaged(let why) = copy.standing else {
            Issue.record("\(copy)")
            return
        }
        #expect(why.contains("of a form that this version does not know"))
        #expect(auditCode { _ = try fixture.restore("inc1", to: TestData().path + "/data") } == .damaged)
    }
}
