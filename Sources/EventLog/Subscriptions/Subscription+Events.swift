extension Subscription: AsyncSequence {
    /// Event by event.
    public typealias Element = SequencedEvent
    /// What a read can throw.
    public typealias Failure = EventLogError

    /// One walk along the events of a subscription. It holds the page that it is in.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let subscription: Subscription
        private var page: ReadResult
        /// Which event of the page comes next.
        private var index = 0

        init(_ subscription: Subscription) {
            self.subscription = subscription
            page = ReadResult(events: [], head: subscription.position)
        }

        /// The next event that matches; waits for it. Nil when the task was cancelled or the log closed.
        ///
        /// - Throws: what a read throws, once.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(EventLogError) -> SequencedEvent? {
            // Asked for each event, so that a subscriber who is slow with a page ends promptly too.
            if Task.isCancelled {
                subscription.finish(.ended)
                return nil
            }
            if index == page.events.count {
                guard let next = try await subscription.nextPage(after: page.head) else { return nil }
                (page, index) = (next, 0)
            }
            let event = page.events[index]
            index += 1
            subscription.progress.position = event.position
            return event
        }
    }

    /// A walk that begins behind the last event handed out.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}
