package import EventLog

/// Whatever brings a model forward along the log, wherever its rows are kept. It belongs to one thread; after an error it is of no
/// use.
package protocol ModelFollower {
    /// How far the model has come: what its readers see, and what a restart goes on from or from where nothing concerns it since.
    var position: Position { get }

    /// Applies some of what follows, and stores it with its position in one transaction.
    ///
    /// - Parameter head: not beyond the log's.
    /// - Throws: ``ReadModelError``, with nothing of the batch stored.
    @available(*, noasync)
    mutating func advance(towards head: Position) throws(ReadModelError)

    /// Stores how far it has come, also where nothing has concerned it lately: for whoever goes on elsewhere.
    ///
    /// - Throws: ``ReadModelError``.
    @available(*, noasync)
    mutating func settle() throws(ReadModelError)
}
