import EventLog
import Loyalty
import Seeds
import Testing

@testable import CommandService
@testable import Composition

@Suite("Own writes")
struct OwnWritesTests {
    @Test("The position of an account's last write is kept, and a repeated request does not lower it")
    func last() {
        let writes = OwnWrites()
        #expect(writes.lastPosition(of: AccountID(1)) == nil)
        for position: UInt64 in [5, 9, 5] { writes.note(Position(position), of: AccountID(1)) }
        #expect(writes.lastPosition(of: AccountID(1)) == Position(9))
        #expect(writes.lastPosition(of: AccountID(2)) == nil)
    }

    @Test("A forgotten account waits for the last write of all forgotten accounts, and a remembered account for its own last write")
    func forgotten() {
        let writes = OwnWrites(limit: 2)
        for number: UInt64 in 1...5 { writes.note(Position(10 * number), of: AccountID(UInt128(number))) }
        // The cache has dropped accounts 1 and 2. Accounts 3 and 4 are in its older half, and account 5 is in its newer half.
        let waits = (1...6).map { writes.lastPosition(of: AccountID($0))?.rawValue }
        #expect(waits == [20, 20, 30, 40, 50, 20])
    }

    @Test("No write is ever overlooked, and memory stays bounded, whoever writes and repeats")
    func bounded() {
        var random = SeededRandom.announced("own writes")
        let writes = OwnWrites(limit: 8)
        var known: [AccountID: Position] = [:]
        for position: UInt64 in 1...20_000 {
            let account = AccountID(UInt128(Int.random(in: 1...100, using: &random)))
            // Some positions are old, because the answer to a repeated request has the position of the original request.
            let written = Bool.random(using: &random) ? position : UInt64.random(in: 1...position, using: &random)
            writes.note(Position(written), of: account)
            known[account] = max(known[account] ?? .start, Position(written))
            let reader = AccountID(UInt128(Int.random(in: 1...100, using: &random)))
            guard let own = known[reader] else { continue }
            let waits = writes.lastPosition(of: reader)
            #expect(waits.map { $0 >= own && $0.rawValue <= position } == true, "\(reader) at \(position)")
        }
        #expect(writes.count <= 16)
    }
}
