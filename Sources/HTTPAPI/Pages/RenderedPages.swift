import Caches
import CommandService
import Composition
import EventLog
import HTTPTypes
import Hummingbird
import Loyalty
import ReadModels
import Synchronization
import WebPages

/// Public pages as they were sent last, so that many readers of one page cost little more than its bytes.
///
/// A page is sent again only while nothing has changed: the log has no newer event of those that change pages (see ``PublicChanges``), and
/// every read model had caught up with the last of them when the page was made. So it shows what a new one would show. Time changes pages
/// as well (campaigns begin and end), so none is older than a second.
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

    /// The page that was sent last, or a new one.
    ///
    /// - Parameter make: makes the page, which MUST be the same for everybody who reads the language.
    func page(_ request: Request, _ resources: Resources, _ make: () async throws -> Response) async throws -> Response {
        let address = request.uri.description
        guard request.isForPeople, address.utf8.count <= Limits.renderedAddressBytesMax else { return try await make() }
        let key = Key(address: address, language: PageLanguage(of: request))
        // Both are read before the page is made: what comes meanwhile makes the entry useless, never wrong.
        let (changed, second) = (changes.newest(in: resources.service.log), resources.now.microseconds / 1_000_000)
        if let kept = pages.withLock({ $0[key] }), kept.changed == changed, kept.second == second { return kept.response }
        let isCurrent = resources.service.models.position >= changed
        let response = try await make()
        if isCurrent, response.status == .ok, let size = response.body.contentLength, size <= Limits.renderedPageBytesMax {
            pages.withLock { $0[key] = Entry(changed: changed, second: second, response: response) }
        }
        return response
    }
}
