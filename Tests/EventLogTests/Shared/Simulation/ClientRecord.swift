@testable import EventLog

/// A client takes a coupon or returns it, and repeats a request with the same id until it has an answer.
struct ClientRequest {
    let id: UInt128
    let coupon: UInt128
    let type: EventType
}

extension ClientRequest {
    /// The request that led to an event.
    init(_ record: borrowing Record) {
        var (id, coupon): (UInt128, UInt128) = (.max, .max)
        for index in 0..<record.tagCount {
            let tag = record.tag(at: index)
            if tag.kind == .card { id = tag.value } else { coupon = tag.value }
        }
        self.init(id: id, coupon: coupon, type: record.type)
    }
}

enum ClientAnswer: Equatable {
    case stored(Position)
    case refused
}

/// The requests and answers that clients of a ``Simulation`` have seen, and what must be true of them in the end.
struct ClientRecord {
    private struct Sent {
        let request: ClientRequest
        let asked: Int
        var stored: (position: Position, answered: Int)?
        var isOpen = true
    }

    private struct Refusal {
        let request: ClientRequest
        /// The shared log's head when the request was sent, and when the answer came.
        let between: ClosedRange<Position>

        /// A refusal is right if it is so at some moment between request and answer.
        func complaint(about history: [ClientRequest]) -> String? {
            var type = EventType.closed
            for (index, other) in history.enumerated() {
                let position = Position(UInt64(index + 1))
                if position > between.upperBound { break }
                if position > between.lowerBound, type == request.type { return nil }
                if other.id == request.id { return "request \(request.id) was refused after it was stored" }
                if other.coupon == request.coupon { type = other.type }
            }
            if type == request.type { return nil }
            return "request \(request.id) was refused between \(between.lowerBound) and \(between.upperBound) without a reason"
        }
    }

    private var requests: [Sent] = []
    private var refusals: [Refusal] = []
    /// Grows with each request and answer.
    private(set) var time = 0
    private(set) var repeatedCount = 0

    var storedCount: Int { requests.count { $0.stored != nil } }
    var refusedCount: Int { refusals.count }
    var count: Int { requests.count }
    /// Requests without an answer.
    var open: [ClientRequest] { requests.filter(\.isOpen).map(\.request) }

    func request(_ index: Int) -> ClientRequest { requests[index].request }

    mutating func ask(_ coupon: UInt128, _ type: EventType) -> ClientRequest {
        time += 1
        requests.append(Sent(request: ClientRequest(id: UInt128(requests.count), coupon: coupon, type: type), asked: time))
        return requests[requests.count - 1].request
    }

    /// Returns a complaint about an answer that differs from one that came before this attempt.
    mutating func note(
        _ answer: ClientAnswer, to request: ClientRequest, sentAt sent: Int, between: ClosedRange<Position>
    ) -> String? {
        time += 1
        let index = Int(request.id)
        requests[index].isOpen = false
        switch (answer, requests[index].stored) {
        case (.refused, let earlier) where (earlier?.answered ?? .max) > sent: refusals.append(Refusal(request: request, between: between))
        case (.stored(let position), nil): requests[index].stored = (position, time)
        case (.stored(let position), let earlier?) where position == earlier.position: repeatedCount += 1
        case (_, let earlier): return "request \(request.id) was stored at \(earlier?.position ?? .start), and repeated it is \(answer)"
        }
        return nil
    }

    /// Returns what is wrong in the history that the clients' answers came from; nil if nothing is.
    func complaint(about history: [ClientRequest]) -> String? {
        misplaced(in: history) ?? undecidable(history) ?? disordered() ?? refusals.lazy.compactMap { $0.complaint(about: history) }.first
    }

    private func misplaced(in history: [ClientRequest]) -> String? {
        var places: [UInt128: Int] = [:]
        for (index, request) in history.enumerated() {
            if let first = places.updateValue(index + 1, forKey: request.id) {
                return "request \(request.id) stands at \(first) and \(index + 1)"
            }
        }
        for one in requests {
            guard let stored = one.stored, places[one.request.id] != Int(stored.position.rawValue) else { continue }
            let place = places[one.request.id].map { "stands at \($0)" } ?? "is lost"
            return "request \(one.request.id) was stored at \(stored.position), but \(place)"
        }
        return nil
    }

    private func undecidable(_ history: [ClientRequest]) -> String? {
        var last: [UInt128: EventType] = [:]
        for (index, request) in history.enumerated()
        where (last.updateValue(request.type, forKey: request.coupon) ?? .closed) == request.type {
            return "event \(index + 1) should have been refused"
        }
        return nil
    }

    /// A request that was answered before another one was sent is stored before it.
    private func disordered() -> String? {
        for one in requests {
            guard let stored = one.stored else { continue }
            for other in requests where stored.answered < other.asked {
                guard let place = other.stored?.position, place <= stored.position else { continue }
                return "request \(one.request.id) was answered before \(other.request.id) was sent, but is stored behind it"
            }
        }
        return nil
    }
}
