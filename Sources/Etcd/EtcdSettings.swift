internal import AsyncHTTPClient
internal import Foundation
internal import NIOCore
internal import NIOSSL

/// The members of an etcd cluster, and the proof of identity that they ask for.
package struct EtcdSettings: Sendable {
    /// The most members that an etcd cluster should have.
    package static let endpointsMax = 9

    /// Addresses such as `https://10.0.0.1:2379`, without a path.
    let endpoints: [String]
    private let user: User?
    private let tls: TLSConfiguration?
    /// Until a request without an answer is given up; an etcd cluster has a new leader 1.1 to 2.5 s after it lost one.
    let requestSeconds: Double
    /// The longest time for all endpoints together: with the defaults, less than the five seconds of every call of a shared log.
    var callSeconds: Double { Self.requestsPerCall * requestSeconds }
    /// After an answer that took longer, the next request goes to the next endpoint.
    var slow: TimeAmount { .nanoseconds(Int64(requestSeconds / Self.slowAnswersPerRequest * Self.nanosecondsPerSecond)) }
    /// Until a read that finds no new entry returns.
    let waitSeconds: Double
    /// Until what a silent node has told vanishes. etcd takes no less.
    let aliveSeconds: Int

    struct User: Sendable, Encodable {
        let name, password: String
    }

    /// Paths of PEM files.
    package struct Files: Sendable {
        let authority: String?
        let certificate, key: String?

        /// - Parameters:
        ///   - authority: the certificates that sign the members' own; nil for those of the system.
        ///   - certificate: this client's, with `key`; nil where the members ask for none.
        package init(authority: String?, certificate: String? = nil, key: String? = nil) {
            (self.authority, self.certificate, self.key) = (authority, certificate, key)
        }
    }

    /// Checks the addresses and reads the files.
    ///
    /// - Throws: `EtcdFault.badAddress`, `.badFile`, `.passwordInClear`.
    package init(
        endpoints: [String], user: (name: String, password: String)? = nil, files: Files? = nil, requestSeconds: Double = 2,
        waitSeconds: Double = 3, aliveSeconds: Int = 2
    ) throws(EtcdFault) {
        guard (1...Self.endpointsMax).contains(endpoints.count) else { throw .badAddress("\(endpoints.count) addresses") }
        for endpoint in endpoints {
            guard let url = URL(string: endpoint), ["http", "https"].contains(url.scheme), url.host?.isEmpty == false,
                ["", "/"].contains(url.path), url.query == nil, url.user == nil
            else { throw .badAddress(endpoint) }
            if user != nil, url.scheme == "http", !Self.isLoopback(url.host ?? "") { throw .passwordInClear(endpoint) }
        }
        self.endpoints = endpoints.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        self.user = user.map { User(name: $0.name, password: $0.password) }
        (tls, self.requestSeconds, self.waitSeconds) = (try files.map(Self.tls), requestSeconds, waitSeconds)
        self.aliveSeconds = aliveSeconds
    }

    var credentials: User? { user }

    private static func isLoopback(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return ["localhost", "::1", "[::1]"].contains(host) || (parts.count == 4 && parts[0] == 127 && !parts.contains(nil))
    }

    func client() -> HTTPClient {
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        configuration.redirectConfiguration = .disallow
        configuration.httpVersion = .http1Only
        configuration.timeout.connect = .nanoseconds(Int64(requestSeconds / 2 * Self.nanosecondsPerSecond))
        // Another endpoint is tried instead.
        configuration.connectionPool.retryConnectionEstablishment = false
        // One loop: AsyncHTTPClient 1.37.0 ends the process if a connection closes between two.
        return HTTPClient(eventLoopGroupProvider: .shared(HTTPClient.defaultEventLoopGroup.any()), configuration: configuration)
    }

    static let nanosecondsPerSecond = 1e9
    private static let requestsPerCall = 2.25, slowAnswersPerRequest = 4.0

    private static func tls(_ files: Files) throws(EtcdFault) -> TLSConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        if let path = files.authority { tls.trustRoots = .certificates(try read(path) { try NIOSSLCertificate.fromPEMFile($0) }) }
        if let path = files.certificate {
            tls.certificateChain = try read(path) { try NIOSSLCertificate.fromPEMFile($0).map { .certificate($0) } }
            tls.privateKey = try read(files.key ?? path) { .privateKey(try NIOSSLPrivateKey(file: $0, format: .pem)) }
        }
        return tls
    }

    private static func read<Value>(_ path: String, _ read: (String) throws -> Value) throws(EtcdFault) -> Value {
        do { return try read(path) } catch { throw .badFile(path) }
    }
}
