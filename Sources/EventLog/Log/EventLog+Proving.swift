public import Merkle

extension EventLog {
    /// The Merkle tree over the records, to make tiles from and to verify.
    public var tree: LogTree { LogTree(storage: storage) }

    /// The root of the tree over the first events, up to a position; all of them unless told otherwise.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/afterBeyondHead``, ``EventLogError/Code-swift.struct/damaged``,
    ///   ``EventLogError/Code-swift.struct/storage``.
    public func root(through position: Position? = nil) throws(EventLogError) -> NodeHash {
        let size = position ?? head
        try require(size)
        do { return try tree.root(at: size.rawValue) } catch { throw EventLogError(tree: error) }
    }

    /// The proof that an event is in the log as it was at a position.
    ///
    /// - Parameter position: of the event, from 1 through `size`.
    /// - Throws: as ``root(through:)``.
    public func inclusionProof(of position: Position, in size: Position) throws(EventLogError) -> InclusionProof {
        try require(size)
        guard position > .start, position <= size else {
            throw EventLogError(.afterBeyondHead, "there is no event \(position) among the first \(size).", position: position)
        }
        do { return try tree.inclusionProof(of: position.rawValue - 1, at: size.rawValue) } catch { throw EventLogError(tree: error) }
    }

    /// The proof that the log at one position began as the log at an earlier one was.
    ///
    /// - Throws: as ``root(through:)``.
    public func consistencyProof(from old: Position, to new: Position) throws(EventLogError) -> ConsistencyProof {
        try require(old)
        try require(new)
        do { return try tree.consistencyProof(from: old.rawValue, to: new.rawValue) } catch { throw EventLogError(tree: error) }
    }

    /// The name that the log was given, or gave itself when it was opened for writing; nil for one that has none yet, whose
    /// ``origin`` is only what it would be called.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/damaged``, ``EventLogError/Code-swift.struct/storage``.
    public func givenName() throws(EventLogError) -> String? { try storage.storedOrigin() }

    private func require(_ size: Position) throws(EventLogError) {
        if size > head { throw EventLogError(.afterBeyondHead, "asked for the tree at \(size), but the head is \(head)", position: size) }
    }
}

extension EventLogError {
    /// Whatever came out of the tree's own code or of its storage.
    init(tree error: any Error) {
        if let error = error as? MerkleError { self.init(.damaged, "the tree: \(error)") } else { self.init(any: error) }
    }
}
