internal import EventLog
internal import Loyalty
internal import LoyaltyCodec
internal import Merkle

/// What came of looking at a run of neighbouring positions by themselves.
struct CheckedChunk: Sendable {
    /// An event, and the request that it came from.
    struct Event: Sendable {
        let fact: Fact
        let mark: RequestMark?
    }

    /// A hash that the log stores for more than one tile of leaves: for the one who has seen them all.
    struct Stored: Sendable {
        let level: Int
        let position: UInt64
        let hash: NodeHash?
    }

    /// The first position.
    let first: UInt64
    /// As far as they could be read without a gap.
    var events: [Event] = []
    /// Whether all of them could.
    var isWhole = false
    /// What its tags add up to, as far as the index goes.
    var postings = PostingSum()
    /// The computed roots of the full tiles of 256 leaves.
    var roots: [NodeHash] = []
    var stored: [Stored] = []
}
