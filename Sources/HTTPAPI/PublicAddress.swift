import Loyalty
import Synchronization
import WebPages

/// The public address of the service, with which all links begin, including those in QR codes. It comes from the setting `--public-url`.
///
/// Without this setting, links begin with the address to which the server is bound. The bound address is known only after binding, because
/// binding replaces port 0 by a real port.
final class PublicAddress: Sendable {
    private let url: Mutex<String>

    init(_ url: String) { self.url = Mutex(Self.withoutSlash(url)) }

    /// The address, such as `https://greentea.example`.
    var text: String { url.withLock(\.self) }

    /// Whether the address is a loopback or unspecified address, such as `localhost` or `0.0.0.0`. On each machine, such an address leads
    /// to that machine itself.
    var isLoopback: Bool {
        let host = host
        return host == "localhost" || host.hasSuffix(".localhost") || host.hasPrefix("127.") || ["[::1]", "[::]", "0.0.0.0"].contains(host)
    }

    /// The host without its port, in lower case: `greentea.example`, `[::1]`.
    private var host: String {
        guard let start = text.firstRange(of: "://")?.upperBound else { return "" }
        let authority = text[start...].prefix { $0 != "/" }.lowercased()
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") { return String(authority[...end]) }
        return String(authority.prefix { $0 != ":" })
    }

    func change(to url: String) { self.url.withLock { $0 = Self.withoutSlash(url) } }

    private static func withoutSlash(_ url: String) -> String { url.hasSuffix("/") ? String(url.dropLast()) : url }
}

/// Links to a shop's place, one for each map application.
struct LinksAnswer: JSONWritable {
    let name: String
    let place: Coordinate

    func write(to json: inout JSONWriter) {
        let links = MapLinks(name: name, at: place)
        json.object {
            $0.field("map", links.map)
            $0.field("apple", links.apple)
            $0.field("google", links.google)
            $0.field("amap", links.amap)
        }
    }
}
