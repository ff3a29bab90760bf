internal import Loyalty
internal import LoyaltyCodec

/// The request that the last event came from.
struct RequestInUse {
    let mark: RequestMark
    let actor: AccountID
    let time: Instant
}

extension RuleBook {
    /// All events of one request stand together, with one actor, one time and one digest; none comes again later.
    mutating func checkRequest(_ fact: Fact, _ mark: RequestMark?) {
        guard let mark else { return request = nil }
        if let request, request.mark.request == mark.request {
            require(request.mark.digest == mark.digest, kind: .request, "the events of one request have two digests")
            let isOne = request.actor == fact.actor && request.time == fact.time
            require(isOne, kind: .request, "the events of one request have two actors or times")
        } else {
            requireOnce(mark.request, .request, "the key of this request was used by an earlier one")
        }
        request = RequestInUse(mark: mark, actor: fact.actor, time: fact.time)
    }
}
