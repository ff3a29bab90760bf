import Caches
import CommandService
import Composition
import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec
import ReadModels
import Synchronization
import WebPages

/// A cache of rendered public pages, sent only if a new one would show the same, apart from whether a review's author has a card. The log
/// must have no page-changing event since (``PublicChanges``), the read models must have processed the last one before, and no page is
/// older than a second, because campaigns begin and end.
///
/// The key has the path in one spelling and only the parameters that the page reads. Otherwise an unread parameter could evict all other
/// pages.
final class RenderedPages: Sendable {
    private struct Key: Hashable {
        let address: String
        let language: PageLanguage
    }

    private struct Entry {
        let changed: Position
        let second: Int64
        let response: Response
    }

    private let changes = PublicChanges()
    private let pages = Mutex(GenerationalCache<Key, Entry>(limit: Limits.renderedPagesMax))

    /// - Parameters:
    ///   - parameters: those that the page reads.
    ///   - make: MUST make the same page for everybody who reads the language, from only the request that it gets, whose address has just
    ///     `path` and `parameters`.
    func page(
        _ request: Request, at path: String, reading parameters: [String] = [], _ resources: Resources,
        _ make: (Request) async throws -> Response
    ) async throws -> Response {
        let request = request.at(path, reading: parameters)
        let address = request.uri.description
        guard address.utf8.count <= Limits.renderedAddressBytesMax else { return try await make(request) }
        let key = Key(address: address, language: PageLanguage(of: request))
        // Read before the page is made: an event meanwhile leaves the new entry with an old `changed`, so it is never sent.
        let (changed, second) = (changes.newest(in: resources.service.log), resources.now.microseconds / 1_000_000)
        if let kept = pages.withLock({ $0[key] }), kept.changed == changed, kept.second == second { return kept.response }
        let isCurrent = resources.service.models.position >= changed
        let response = try await make(request)
        if isCurrent, response.status == .ok, let size = response.body.contentLength, size <= Limits.renderedPageBytesMax {
            pages.withLock { $0[key] = Entry(changed: changed, second: second, response: response) }
        }
        return response
    }
}

extension Request {
    /// Keeps only the given parameters, each once and in the given order.
    fileprivate func at(_ path: String, reading parameters: [String]) -> Request {
        var found: [Substring: Substring] = [:]
        for part in (uri.query ?? "").split(separator: "&") {
            let name = part.prefix { $0 != "=" }
            if parameters.contains(String(name)), found[name] == nil { found[name] = part }
        }
        let kept = parameters.compactMap { found[$0[...]] }
        var head = head
        head.path = kept.isEmpty ? path : path + "?" + kept.joined(separator: "&")
        return Request(head: head, body: body)
    }
}

/// Finds the newest event that may have changed a public page. Nearly all events in a busy hour are ``quiet``: pages use them only to show
/// whether a review's author has a card.
final class PublicChanges: Sendable {
    /// With more new events, the newest counts as a change, because examining all would cost more than the page.
    static let lookedThroughMax = 4_096

    /// After these events, a kept page may be sent for up to a second more.
    static let quiet: Set<EventType> = [
        .accountRegistered, .sessionStarted, .sessionRefreshed, .sessionEnded, .passwordSet, .passwordRemoved, .phoneChanged,
        .phoneChangeRequested, .phoneChangeEnded, .accountSearched, .codeIssued, .codeDestroyed, .paperCardsPrinted, .paperStamped,
        .paperCardTaken, .paperStampReversed, .cardOpened, .cardStamped, .cardDiscarded, .cardAdjusted, .stampReversed, .cardExpired,
        .cardReminded, .waitingCardTaken, .redemptionRequested, .cardRedeemed, .redemptionReversed, .milestoneRequested, .milestoneRedeemed,
        .milestoneReversed, .noticePosted, .noticeRead, .noticeScheduled, .noticeWithdrawn, .noticeLapsed, .feedbackGiven, .shopMuted,
        .shopUnmuted, .staffLabeled, .transferLapsed, .waitingOfferTaken, .searchSaved, .searchEdited,
        .searchRemoved, .searchSeen, .searchAlerted,
    ]

    private struct Seen {
        var through: Position
        var newest: Position
    }

    private let seen = Mutex(Seen?.none)

    /// The newest change on disk; at the first call, the newest event.
    func newest(in log: EventLog) -> Position {
        let head = log.head
        return seen.withLock { seen in
            guard let before = seen, head.rawValue - min(head, before.through).rawValue <= UInt64(Self.lookedThroughMax) else {
                seen = Seen(through: head, newest: head)
                return head
            }
            guard before.through < head else { return before.newest }
            var newest = before.newest
            do {
                try log.scan(after: before.through, through: head) { position, record in
                    if !Self.quiet.contains(record.type) { newest = position }
                    return true
                }
            } catch {
                // Damage counts as a change: the page is made again, which reports it.
                newest = head
            }
            seen = Seen(through: head, newest: newest)
            return newest
        }
    }
}
