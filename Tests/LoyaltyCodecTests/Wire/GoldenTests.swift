import EventLog
import Loyalty
import LoyaltyCodec
import Testing

/// The bytes of every event stay valid for ever. `GREENTEA_RECORD=1` writes new files; a change to an existing file is a bug unless there
/// is a new schema version.
struct GoldenTests {
    @Test(arguments: Sample.all.indices)
    func encodingGivesTheGoldenBytes(_ index: Int) throws {
        let sample = Sample.all[index]
        if Golden.isRecording { try Golden.record(sample) }
        let bytes = try Bytes.record(sample.encoded())
        #expect(try Golden.text(sample.name, "hex") == Golden.hexLines(bytes), "\(sample.name) has other bytes than its golden file")
    }

    @Test(.enabled(if: !Golden.isRecording))
    func everyGoldenDecodesForEver() throws {
        let names = try Golden.names()
        #expect(names.count >= Sample.all.count)
        for name in names {
            let bytes = Bytes.bytes(hex: try Golden.text(name, "hex"))
            let json = FactText.json(try Bytes.decode(bytes, at: 1))
            #expect(try Golden.text(name, "json") == "\(json)\n", "\(name) decodes to other content than before")
        }
    }

    @Test(arguments: Sample.all.indices)
    func goldenBytesSayWhatTheSampleSaid(_ index: Int) throws {
        let sample = Sample.all[index]
        let bytes = Bytes.bytes(hex: try Golden.text(sample.name, "hex"))
        let fact = try Bytes.decode(bytes, at: 7)
        #expect(fact == Fact(position: 7, time: Sample.time, actor: Sample.actor, event: sample.event))
        #expect(try Bytes.mark(bytes) == sample.mark)
    }

    @Test
    func everyEventTypeHasAGolden() throws {
        // Event types that are no longer written have stored files but no sample.
        let names = Set(try Golden.names().compactMap { $0.split(separator: ".").first.map(String.init) })
        #expect(names == Set(LoyaltySchema.schema.types.values))
    }

    @Test
    func goldenNamesBeginWithTheTypeAndVersion() throws {
        for sample in Sample.all {
            let event = try sample.encoded()
            let name = try #require(LoyaltySchema.schema.types[event.type])
            #expect(sample.name.hasPrefix("\(name).v\(event.schemaVersion)"))
        }
    }
}
