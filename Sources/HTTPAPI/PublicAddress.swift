import Synchronization
import WebPages

/// The service's public address (`--public-url`), with which links and QR codes begin. Without the setting, it is the bound address, known
/// only after binding.
final class PublicAddress: Sendable {
    private let url: Mutex<String>

    init(_ url: String) { self.url = Mutex(Self.withoutSlash(url)) }

    var text: String { url.withLock(\.self) }

    /// Whether the address is loopback or unspecified, so that on each machine it leads to that machine.
    var isLoopback: Bool {
        let host = host
        return host == "localhost" || host.hasSuffix(".localhost") || host.hasPrefix("127.") || ["[::1]", "[::]", "0.0.0.0"].contains(host)
    }

    /// Without port, in lower case: `greentea.example`, `[::1]`.
    private var host: String {
        guard let start = text.firstRange(of: "://")?.upperBound else { return "" }
        let authority = text[start...].prefix { $0 != "/" }.lowercased()
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") { return String(authority[...end]) }
        return String(authority.prefix { $0 != ":" })
    }

    func change(to url: String) { self.url.withLock { $0 = Self.withoutSlash(url) } }

    private static func withoutSlash(_ url: String) -> String { url.hasSuffix("/") ? String(url.dropLast()) : url }
}

extension MapLinks: JSONRecord {
    var fields: JSONFields { ["map": map, "apple": apple, "google": google, "amap": amap] }
}
