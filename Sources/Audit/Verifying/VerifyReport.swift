public import EventLog
public import Merkle

/// What came of looking at a data folder.
public struct VerifyReport: Hashable, Sendable {
    /// The folder.
    public let folder: String
    /// The last event of the commit that was looked at.
    public let head: Position
    /// The root of the stored tree at the head, which is the events' own when there are no findings; nil without a tree.
    public var root: NodeHash?
    /// The size of the checkpoint that the log begins with; nil when there was none to compare.
    public var checkpoint: UInt64?
    /// How far the stored index goes that was compared; nil when there was none to compare.
    public var indexed: Position?
    /// What is wrong, at most ``FindingList/keptMax``.
    public var findings: [Finding] = []
    /// How much is wrong.
    public var findingCount = 0
    /// What is worth knowing, and nothing wrong.
    public var notes: [String] = []

    init(folder: String, head: Position) { (self.folder, self.head) = (folder, head) }

    /// Whether nothing is wrong.
    public var isClean: Bool { findingCount == 0 }
}
