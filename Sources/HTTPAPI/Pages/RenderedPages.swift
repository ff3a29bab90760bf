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

/// Public pages as they were last rendered, so that many readers of one page cost little more than sending its bytes.
///
/// A page is sent again only if a new one would show the same. So the log must have no newer event that changes pages (see
/// ``PublicChanges``), and every read model must have included the last such event when the page was made. Time changes pages as well,
/// because campaigns begin and end. Therefore no page is used for longer than a second.
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

    /// The kept page, or a new one.
    ///
    /// - Parameter make: makes the page, which MUST be the same for everybody who reads the language.
    func page(_ request: Request, _ resources: Resources, _ make: () async throws -> Response) async throws -> Response {
        let address = request.uri.description
        guard request.isForPeople, address.utf8.count <= Limits.renderedAddressBytesMax else { return try await make() }
        let key = Key(address: address, language: PageLanguage(of: request))
        // The last change and the time are read before the page is made. An event that arrives meanwhile makes the entry useless, but never
        // wrong.
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
