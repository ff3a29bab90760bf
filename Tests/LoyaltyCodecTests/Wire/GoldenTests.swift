import EventLog
import Loyalty
import LoyaltyCodec
import Testing

/// The bytes of every event stay valid for ever. `GREENTEA_RECORD=1` writes new files; a change to an existing file is a bug unless there
/// is a new schema version.
struct GoldenTests {
    @Test("A sample encodes to the bytes of its golden file", arguments: Sample.all.indices)
    func encoding(_ index: Int) throws {
        let sample = Sample.all[index]
        if Golden.isRecording { try Golden.record(sample) }
        let bytes = try Bytes.record(sample.encoded())
        #expect(try Golden.text(sample.name, "hex") == Golden.hexLines(bytes), "\(sample.name) has other bytes than its golden file")
    }

    @Test("Every golden file, also of an older version, decodes to the same content as before", .enabled(if: !Golden.isRecording))
    func everyGoldenDecodesForEver() throws {
        let names = try Golden.names()
        #expect(names.count >= Sample.all.count)
        for name in names {
            let bytes = Bytes.bytes(hex: try Golden.text(name, "hex"))
            let json = FactText.json(try Bytes.decode(bytes, at: 1))
            #expect(try Golden.text(name, "json") == "\(json)\n", "\(name) decodes to other content than before")
        }
    }

    @Test("The golden bytes of a sample decode to its event and its mark", arguments: Sample.all.indices)
    func sampleContent(_ index: Int) throws {
        let sample = Sample.all[index]
        let bytes = Bytes.bytes(hex: try Golden.text(sample.name, "hex"))
        let fact = try Bytes.decode(bytes, at: 7)
        #expect(fact == Fact(position: 7, time: Sample.time, actor: Sample.actor, event: sample.event))
        #expect(try Bytes.mark(bytes) == sample.mark)
    }

    @Test("Every event type has a golden file")
    func allTypes() throws {
        // Event types that are no longer written have stored files but no sample.
        let names = Set(try Golden.names().compactMap { $0.split(separator: ".").first.map(String.init) })
        #expect(names == Set(LoyaltySchema.schema.types.values))
    }

    @Test("A sample's name begins with the type and version of its event")
    func sampleNames() throws {
        for sample in Sample.all {
            let event = try sample.encoded()
            let name = try #require(LoyaltySchema.schema.types[event.type])
            #expect(sample.name.hasPrefix("\(name).v\(event.schemaVersion)"))
        }
    }
}
