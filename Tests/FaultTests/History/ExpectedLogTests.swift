import EventLog
import Faults
import Testing

@Suite struct ExpectedLogTests {
    @Test("One seed always gives the same batches, and another seed gives others")
    func aSeedGivesOneHistoryAndAnotherSeedAnother() {
        var (first, again, other) = (FaultHistory(seed: 1), FaultHistory(seed: 1), FaultHistory(seed: 2))
        for _ in 0..<20 {
            let batch = first.nextBatch()
            #expect(batch == again.nextBatch())
            #expect(batch != other.nextBatch())
            #expect(!batch.isEmpty)
        }
    }

    @Test("A history has small and large batches, and payloads larger than a page")
    func batchesAndRecordsAreOfAllSizes() {
        var history = FaultHistory(seed: 5)
        let batches = (0..<500).map { _ in history.nextBatch() }
        #expect(batches.contains { $0.count == 1 } && batches.contains { $0.count > 199 })
        let sizes = batches.joined().map(\.payload.count)
        #expect(sizes.contains { $0 < 10 } && sizes.contains { $0 > 1_000 } && sizes.contains { $0 > 4_096 })
    }

    @Test("An expected log knows each batch's end and a digest there")
    func itKnowsEachBatchsEndAndItsDigest() throws {
        var history = FaultHistory(seed: 6)
        let expected = try ExpectedLog(seed: 6, commits: 5)
        var ends = [Position.start]
        for _ in 0..<5 { ends.append(Position(ends.last!.rawValue + UInt64(history.nextBatch().count))) }
        #expect(expected.digests.keys.sorted() == ends)
        #expect(expected.head == ends.last)
        #expect(Set(expected.digests.values).count == 6)
        #expect((0...expected.head.rawValue).filter { expected.isBatchEnd(Position($0)) } == ends.map(\.rawValue))
    }

    @Test("An expected log agrees with its own head and digest only")
    func anotherDigestOrHeadIsNotAgreedWith() throws {
        let expected = try ExpectedLog(seed: 6, commits: 5)
        let digest = try #require(expected.digests[expected.head])
        #expect(expected.agrees(with: Acknowledgement(head: expected.head, digest: digest)))
        #expect(!expected.agrees(with: Acknowledgement(head: expected.head, digest: digest ^ 1)))
        #expect(!expected.agrees(with: Acknowledgement(head: expected.head.next, digest: digest)))
    }

    @Test("An expected log knows the positions of every indexed tag")
    func everyIndexedTagIsKnownByItsPositions() throws {
        var history = FaultHistory(seed: 7)
        let expected = try ExpectedLog(seed: 7, commits: 30)
        let events = (0..<30).flatMap { _ in history.nextBatch() }
        #expect(expected.records.count == events.count)
        for (tag, positions) in expected.positions {
            #expect(positions.map { Int($0.rawValue) - 1 } == events.indices.filter { events[$0].tags.contains(tag) })
            #expect(Schema.faults.tagKinds[tag.kind]?.isIndexed == true)
        }
        #expect(expected.positions.keys.count == FaultHistory.cards.count + FaultHistory.shops.count)
    }
}
