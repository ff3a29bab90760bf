import NIOCore
import Testing

@testable import LoadGenerator

@Suite("Stamp board")
struct StampBoardTests {
    @Test("A late event of an account's stamp is missed, and is not taken for the event of the next stamp")
    func late() {
        let board = StampBoard(accounts: 1)
        board.begin(0, streams: 0..<2)
        board.told(0, by: 0, at: 5)
        board.answered(0, at: 5)
        board.begin(0, streams: 0..<2)
        board.told(0, by: 1, at: 5)
        #expect(board.waiting == 2)
        for stream in 0..<2 { board.told(0, by: stream, at: 9) }
        let (times, missed, _) = board.take()
        #expect(times.count == 3 && missed == 1)
    }

    @Test("An event that arrives after the answer to its stamp is timed")
    func afterTheAnswer() {
        let board = StampBoard(accounts: 1)
        board.begin(0, streams: 0..<1)
        board.answered(0, at: 5)
        board.told(0, by: 0, at: 5)
        let (times, missed, _) = board.take()
        #expect(times.count == 1 && missed == 0)
    }

    @Test("Events that have not arrived at the end are missed once, and are not timed later")
    func atTheEnd() {
        let board = StampBoard(accounts: 2)
        for account in 0..<2 { board.begin(account, streams: 0..<3) }
        board.told(0, by: 0, at: 5)
        let (times, missed, _) = board.take()
        #expect(times.count == 1 && missed == 5 && board.waiting == 0)
        board.told(0, by: 1, at: 5)
        let later = board.take()
        #expect(later.microseconds.isEmpty && later.missed == 0)
    }

    @Test(
        "Only a message with an id and data is an event, and its id is the position",
        arguments: [
            ("id: 42\nevent: card\ndata: {}\n\n", 42), ("retry: 1000\nid: 42\n\n", nil), ("id: 42\n\n", nil), (": beat\n\n", nil),
            ("data: {}\n\n", nil),
        ] as [(String, UInt64?)])
    func messages(text: String, position: UInt64?) {
        #expect(StreamReader.eventPosition(in: ByteBuffer(string: text)) == position)
    }
}
