import Synchronization

/// What codes and links begin with. Known from the configuration, or, where that names none, as soon as the server is bound.
final class PublicAddress: Sendable {
    private let url: Mutex<String>

    init(_ url: String) { self.url = Mutex(Self.withoutSlash(url)) }

    /// `https://greentea.example`
    var text: String { url.withLock(\.self) }

    func change(to url: String) { self.url.withLock { $0 = Self.withoutSlash(url) } }

    private static func withoutSlash(_ url: String) -> String { url.hasSuffix("/") ? String(url.dropLast()) : url }
}
