import EventLog
import Seeds
import Testing

@Suite struct RecordPropertyTests {
    @Test("A random event is decoded as it was encoded")
    func whateverIsEncodedComesBack() throws {
        let generator = SeededRandom.announced("whateverIsEncodedComesBack"), seed = generator.seed
        var history = RandomHistory(generator: generator)
        for _ in 0..<2_000 {
            let event = history.event()
            var bytes: [UInt8] = [1, 2, 3]
            try RecordEncoder.append(event, to: &bytes)
            #expect(Array(bytes[..<3]) == [1, 2, 3])
            #expect(owned(Array(bytes[3...])) == event.normalized, "seed \(seed)")
        }
    }

    @Test("A record's accessors give the fields of its event")
    func accessorsAgreeWithTheEvent() throws {
        let generator = SeededRandom.announced("accessorsAgreeWithTheEvent"), seed = generator.seed
        var history = RandomHistory(generator: generator)
        for _ in 0..<500 {
            let event = history.event().normalized
            var bytes: [UInt8] = []
            try RecordEncoder.append(event, to: &bytes)
            guard let record = Record(bytes.span) else { return #expect(Bool(false), "seed \(seed)") }
            for kind in RandomHistory.indexedKinds + [.digest] {
                let value = record.value(of: kind)
                #expect(value == event.tags.first { $0.kind == kind }?.value, "seed \(seed)")
            }
            for value in RandomHistory.values {
                let has = record.has(Tag(.shop, value))
                #expect(has == event.tags.contains(Tag(.shop, value)), "seed \(seed)")
            }
            let (length, size) = (record.payload.count, record.bytes.count)
            #expect(length == event.payload.count && size == bytes.count)
        }
    }

    /// Every bit of a record has a meaning: two different records never decode to the same event, and no invalid record is accepted.
    @Test("Changed bytes of a record are refused, or are exactly another record")
    func mutatedBytesAreRefusedOrReadWithoutACrash() throws {
        var generator = SeededRandom.announced("mutatedBytesAreRefusedOrReadWithoutACrash")
        let seed = generator.seed
        var history = RandomHistory(generator: SeededRandom(seed: seed))
        for _ in 0..<5_000 {
            var bytes: [UInt8] = []
            try RecordEncoder.append(history.event(), to: &bytes)
            for _ in 0..<generator.int(1...4) { mutate(&bytes, &generator) }
            guard let event = owned(bytes) else { continue }
            var again: [UInt8] = []
            try RecordEncoder.append(event, to: &again)
            #expect(again == bytes, "seed \(seed)")
        }
    }

    private func mutate(_ bytes: inout [UInt8], _ generator: inout SeededRandom) {
        switch generator.int(0...3) {
        case 0 where !bytes.isEmpty: bytes[generator.int(0...bytes.count - 1)] ^= UInt8(1 << generator.int(0...7))
        case 1: bytes.removeLast(generator.int(0...bytes.count))
        case 2: bytes.append(UInt8(generator.int(0...255)))
        default: if bytes.count > 1 { bytes[1] = UInt8(generator.int(0...20)) }
        }
    }

    @Test("A record of the greatest size is accepted, and one byte more is refused")
    func limitsHoldToTheByte() throws {
        var bytes: [UInt8] = []
        let room = LogLimits.recordBytesMax - 32 - 17
        try RecordEncoder.append(event(.noted, card(1), payload: [UInt8](repeating: 1, count: room)), to: &bytes)
        #expect(bytes.count == LogLimits.recordBytesMax && owned(bytes) != nil && owned(bytes + [0]) == nil)
        let before = bytes
        let error = #expect(throws: EventLogError.self) {
            try RecordEncoder.append(event(.noted, card(1), payload: [UInt8](repeating: 1, count: room + 1)), to: &bytes)
        }
        #expect(error?.code == .recordTooLarge && bytes == before)
        let tags = (1...17).map { card($0) }
        let tooMany = #expect(throws: EventLogError.self) {
            try RecordEncoder.append(NewEvent(type: .noted, time: Timestamp(microseconds: 0), tags: tags), to: &bytes)
        }
        #expect(tooMany?.code == .tooManyTags && bytes == before)
    }

    @Test("Repeated tags do not count for the limit of tags")
    func sixteenDifferentTagsAmongManyRepeatedOnesFit() throws {
        var bytes: [UInt8] = []
        let tags = (1...16).map { card($0) }
        try RecordEncoder.append(NewEvent(type: .noted, time: Timestamp(microseconds: 0), tags: tags + tags), to: &bytes)
        #expect(owned(bytes)?.tags == tags)
    }

    @Test("A tag of kind 0 is refused")
    func aTagOfKindZeroIsNoTag() {
        var bytes: [UInt8] = []
        let error = #expect(throws: EventLogError.self) {
            try RecordEncoder.append(event(.noted, Tag(TagKind(0), 1)), to: &bytes)
        }
        #expect(error?.code == .schemaConflict && bytes.isEmpty)
    }
}
