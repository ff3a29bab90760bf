import ArgumentParser

/// `HOST:PORT`, with an IPv6 host in brackets.
struct ListenAddress: ExpressibleByArgument, CustomStringConvertible {
    /// Where nobody says.
    static let standard = ListenAddress(host: "127.0.0.1", port: 8080)

    let host: String
    let port: Int

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    init?(argument: String) {
        guard let colon = argument.lastIndex(of: ":") else { return nil }
        guard let port = Int(argument[argument.index(after: colon)...]), (0...65_535).contains(port) else { return nil }
        var host = String(argument[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        guard !host.isEmpty, host == String(argument[..<colon]) ? !host.contains(":") : host.contains(":") else { return nil }
        self.init(host: host, port: port)
    }

    /// Only this machine can reach it.
    var isLoopback: Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    var description: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
