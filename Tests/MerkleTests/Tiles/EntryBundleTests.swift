import Merkle
import Testing

@Suite struct EntryBundleTests {
    @Test("An entry bundle gives back its records")
    func recordsComeBackAsTheyWere() throws {
        let records: [[UInt8]] = [[], [1], [UInt8](repeating: 7, count: 255), [UInt8](repeating: 8, count: 65_535), [0, 0, 0]]
        var bundle: [UInt8] = []
        for record in records { try EntryBundle.append(record, to: &bundle) }
        #expect(try EntryBundle.records(in: bundle, width: 5).map(Array.init) == records)
    }

    /// The bytes are written by hand, with a big-endian length.
    @Test("A bundle has each record after its length in big-endian order")
    func theBytesAreThoseOfTheSpecification() throws {
        var bundle: [UInt8] = []
        try EntryBundle.append([0xAA, 0xBB], to: &bundle)
        try EntryBundle.append([UInt8](repeating: 1, count: 258), to: &bundle)
        #expect(Array(bundle.prefix(6)) == [0, 2, 0xAA, 0xBB, 1, 2])
        #expect(bundle.count == 2 + 2 + 2 + 258)
    }

    @Test("A record of 65,536 bytes is refused and leaves the bundle unchanged")
    func aRecordThatIsTooLongIsRefused() {
        var bundle: [UInt8] = [0, 0]
        #expect(refusal { try EntryBundle.append([UInt8](repeating: 0, count: 65_536), to: &bundle) } == .tooLarge)
        #expect(bundle == [0, 0])
    }

    @Test(
        "A bundle with missing or surplus bytes is refused",
        arguments: [
            ([], 1), ([0], 1), ([0, 1], 1), ([0, 2, 9], 1), ([0, 0], 2), ([0, 0, 0, 0], 1), ([0, 0, 0], 1), ([0, 1, 9, 0], 2),
            ([0, 0], 0),
            ([255, 255, 1, 2, 3], 1),
        ] as [([UInt8], Int)])
    func otherBytesAreRefused(_ bundle: [UInt8], _ width: Int) {
        #expect(refusal { _ = try EntryBundle.records(in: bundle, width: width) } == .malformedTile)
    }
}
