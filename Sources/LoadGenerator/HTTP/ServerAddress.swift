import Foundation

/// Where the server listens.
public struct ServerAddress: Sendable {
    public let host: String
    public let port: Int

    public init(host: String, port: Int) {
        (self.host, self.port) = (host, port)
    }

    /// `http://127.0.0.1:8080`; `nil` for anything but plain HTTP with a host.
    public init?(url text: String) {
        guard let url = URL(string: text), url.scheme == "http", let host = url.host(percentEncoded: false), !host.isEmpty else {
            return nil
        }
        self.init(host: host, port: url.port ?? 80)
    }
}
