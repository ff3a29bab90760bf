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

/// A cache of rendered public pages. With it, many readers of one page cost the server little more than sending the page's bytes.
///
/// A kept page is sent only if a newly rendered page would show the same, apart from whether the author of a review has a card. So since
/// the page was made, the log must have got no event that changes pages (see ``PublicChanges``). Before the page was made, the read models
/// must have processed the last such event. Time changes pages as well, because campaigns begin and end. Therefore no page is used for
/// longer than a second.
///
/// A page is kept under its own address: its path in one spelling, and only the parameters that it reads. Otherwise a client could have the
/// same page rendered any number of times, and evict all others, by adding a parameter that nothing reads.
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

    /// Returns the kept page for a request, or makes a new page.
    ///
    /// - Parameters:
    ///   - path: the page's path.
    ///   - parameters: the parameters of the query that the page reads.
    ///   - make: makes the page, which MUST be the same for everybody who reads the language. It gets the request with only `path` and
    ///     `parameters` in its address, and MUST use only that request.
    func page(
        _ request: Request, at path: String, reading parameters: [String] = [], _ resources: Resources,
        _ make: (Request) async throws -> Response
    ) async throws -> Response {
        let request = request.at(path, reading: parameters)
        let address = request.uri.description
        guard address.utf8.count <= Limits.renderedAddressBytesMax else { return try await make(request) }
        let key = Key(address: address, language: PageLanguage(of: request))
        // The newest change and the time are read before the page is made. If an event changes the page while the page is made, the new
        // entry has an old `changed` and is never sent. So no entry hides such an event.
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
    /// This request with the given path. Its query keeps only the given parameters, each once and in the given order.
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
