import EventLog
import Loyalty
import LoyaltyCodec
import Seeds
import Testing

@testable import CommandService
@testable import Composition

@Suite struct PictureListTests {
    private static let shop = ShopID(10)
    private static let pictures = (1...6).map { ImageID(UInt128($0) << 80 | 7) }

    /// Returns an event that names some of the pictures or none.
    private static func event(using random: inout SeededRandom) -> LoyaltyEvent {
        let named = pictures.filter { _ in random.oneIn(3) }
        switch random.int(0...3) {
        case 0:
            return .imageTakenDown(ImageTakenDown(image: random.pick(pictures), byOperator: random.oneIn(8)))
        case 1: return .accountRegistered(AccountRegistered(account: AccountID(1), phone: Secret(1), sealedPhone: Sealed([1])))
        default:
            return .shopEdited(
                ShopEdited(
                    shop: shop, name: "茶", phone: "123", address: "1", location: Coordinate(latitude: 1, longitude: 1), images: named))
        }
    }

    @Test("The list in memory, read in pieces of any size, equals the index", arguments: [1, 3, 64, 10_000] as [UInt64])
    func agreement(_ pieceEventsMax: UInt64) throws {
        let folder = try TemporaryFolder()
        let data = DataFolder(folder.path)
        let log = try EventLog(
            directory: data.log, index: data.index, schema: LoyaltySchema.schema, access: .readWrite, created: Timestamp(microseconds: 0))
        defer { try? log.close() }
        let appender = try log.appender()
        let list = PictureList(pieceEventsMax: pieceEventsMax)
        var random = SeededRandom.announced("pictures")
        for round in 0..<40 {
            let count = random.int(0...12)
            for number in 0..<count {
                let time = HandClock.start.advanced(bySeconds: Int64(round * 100 + number))
                try appender.stage([LoyaltyCodec.encode(Self.event(using: &random), by: AccountID(1), at: time, mark: nil)])
            }
            try appender.commit()
            let expected = try Self.pictures.map { try list.lookedUp($0, in: log) }
            let recent = try list.recentEntries(of: Self.pictures, in: log)
            #expect(recent == (count <= pieceEventsMax ? expected : nil), "round \(round)")
            #expect(try list.entries(of: Self.pictures, in: log) == expected, "round \(round)")
        }
        let last = try Self.pictures.map { try list.lookedUp($0, in: log) }
        #expect(last.contains { $0.isForAll } && last.contains { $0.isNamedByShop && $0.takenDown > 0 })
    }

    @Test("Only one thread at a time catches up for requests")
    func oneCatchUp() {
        let list = PictureList()
        #expect(list.beginCatchingUp() && !list.beginCatchingUp())
        list.endCatchingUp()
        #expect(list.beginCatchingUp())
    }
}
