import EventLog
import Loyalty
import Synchronization

/// What the readers of streams do: see ``LiveStream/next()``.
extension LiveHub {
    /// What there is for a reader, and waits for it.
    func next(_ number: UInt64) async throws -> LiveItem {
        while true {
            let now = now
            let step = state.withLock { state in
                let routed = state.routed
                return state.feeds[number]?.step(routed: routed, now: now) ?? .give(.ended(.gone))
            }
            switch step {
            case .give(let item): return item
            case .load(let account): try load(account, number)
            case .read(let interest, let after, let through):
                let facts = try read(interest, after, through, number)
                if !facts.isEmpty { return .events(facts) }
            case .wait: await wait(number)
            }
        }
    }

    /// Whether a reader would have to wait.
    func isIdle(_ number: UInt64) -> Bool {
        state.withLock { $0.feeds[number]?.isIdle ?? false }
    }

    func end(_ number: UInt64, _ reason: LiveEnding) {
        wake { state in
            state.feeds[number]?.end(reason)
            return [number]
        }
    }

    func close(_ number: UInt64) {
        end(number, .gone)
        state.withLock { state in
            guard let feed = state.feeds.removeValue(forKey: number) else { return }
            Self.index(number, from: feed.interest.workplaces.keys, to: [], in: &state)
            state.numbersByAccount[feed.account]?.remove(number)
            if state.numbersByAccount[feed.account]?.isEmpty ?? false { state.numbersByAccount[feed.account] = nil }
        }
    }

    /// The feed has been told of changes since it was opened; what is older is read here, and then both are put together.
    private func load(_ account: AccountID, _ number: UInt64) throws {
        let routed = state.withLock { $0.routed }
        // It may have ended between the look at its token and the opening; from the opening on the feed hears of it.
        if let session = state.withLock({ $0.feeds[number]?.session }), try LogPast(log).session(session)?.isEnded == true {
            return end(number, .signedOut)
        }
        let interest = try LiveInterest.load(of: account, from: log, through: routed)
        state.withLock { state in
            let routed = state.routed
            state.feeds[number]?.attach(interest, routed: routed)
            guard let workplaces = state.feeds[number]?.interest.workplaces else { return }
            Self.index(number, from: [], to: workplaces.keys, in: &state)
        }
    }

    private func read(
        _ interest: LiveInterest, _ after: Position, _ through: Position, _ number: UInt64
    ) throws -> [Fact] {
        let (facts, covered) = try interest.read(log, after: after, through: through, limit: Limits.livePageEvents)
        let now = now
        state.withLock { $0.feeds[number]?.advance(to: covered, gave: !facts.isEmpty, now: now) }
        return facts
    }

    private func wait(_ number: UInt64) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    guard let feed = state.feeds[number], feed.isIdle else { return false }
                    state.feeds[number]?.waiter = continuation
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            end(number, .gone)
        }
    }
}
