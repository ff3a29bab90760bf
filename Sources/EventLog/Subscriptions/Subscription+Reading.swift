extension Subscription {
    /// The next events behind a position, and how far they go; waits for them. Nil when there will be no more.
    ///
    /// The one loop of a subscription, whether it catches up or is at the head: read up to the head, and when there is nothing left, wait
    /// until there is. What is committed between the look at the head and the wait ends the wait at once.
    ///
    /// It runs on no actor, so that one that subscribes is not held up by a read.
    @concurrent
    func nextPage(after position: Position) async throws(EventLogError) -> ReadResult? {
        var position = position
        // What stands between the last event handed out and here does not match.
        progress.position = position
        while let log, !log.headSignal.isClosed, !Task.isCancelled {
            let head = log.head
            if head > position {
                let page = try readOrFail(log, after: position, head: head)
                if !page.events.isEmpty { return page }
                // From here on and not from the last match: what did not match once is never looked at again.
                position = page.head
                progress.position = position
                await Task.yield()
            } else {
                await wait(for: position.next, on: log)
            }
        }
        finish(.ended)
        return nil
    }

    /// A short read: events through the head, as far as a page and the patience of other tasks go.
    private func readOrFail(_ log: EventLog, after position: Position, head: Position) throws(EventLogError) -> ReadResult {
        let through = Position(Swift.min(head.rawValue, position.rawValue + LogLimits.subscriptionReadPositions))
        do throws(EventLogError) {
            let events = try log.events(matching: query, after: position, through: through, backwards: false, limit: pageEvents)
            // A full page may have left matches out.
            let reached = events.count == pageEvents ? events.last?.position : nil
            return ReadResult(events: events, head: reached ?? through)
        } catch {
            finish(.failed(reason: "\(error)"))
            throw error
        }
    }

    private func wait(for position: Position, on log: EventLog) async {
        let patience = log.index == nil ? LogLimits.subscriptionPollSeconds : LogLimits.waitSecondsMax
        // Reached, timed out, closed or cancelled: the loop looks for itself.
        _ = try? await log.headSignal.reached(position, timeoutSeconds: patience)
    }
}
