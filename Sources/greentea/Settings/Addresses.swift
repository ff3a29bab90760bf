import ArgumentParser
import CommandService
import Foundation
import Loyalty
import TextMessages

/// `HOST:PORT`, with an IPv6 host in brackets.
struct ListenAddress: ExpressibleByArgument, CustomStringConvertible {
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

    /// Only this machine can reach the address.
    var isLoopback: Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

struct WebAddress {
    let text: String

    /// Http or https, with a host.
    var isUsable: Bool {
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased() else { return false }
        return ["http", "https"].contains(scheme) && parts.host?.isEmpty == false
    }

    /// Only scheme, host, port and path, so that a path can be appended.
    var isBase: Bool { isUsable && !text.contains { "?#@".contains($0) } }

    /// Without user, query and fragment, which may be secrets. Also for mistyped addresses.
    var withoutSecrets: String {
        let end = text.firstIndex { "?#".contains($0) } ?? text.endIndex
        let (place, query) = (text[..<end], text[end...])
        let scheme = place.range(of: "://").map { place[..<$0.upperBound] } ?? ""
        // An `@` after `?` or `#` probably ends an invalid password, so everything after the scheme is hidden.
        if query.contains("@") { return scheme + "(hidden)" }
        let hidden = query.isEmpty ? "" : "?(hidden)"
        guard let sign = place.lastIndex(of: "@") else { return place + hidden }
        return scheme + "(hidden)" + place[sign...] + hidden
    }
}

/// `--sms`: where text messages are sent.
enum MessageRoute: Equatable {
    case webhook(String)
    case file(String)

    init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        switch parts[0] {
        case "webhook": self = .webhook(String(parts[1]))
        case "file": self = .file(String(parts[1]))
        default: return nil
        }
    }

    /// - Parameter secret: signs a webhook's messages.
    /// - Throws: `TextMessageError`.
    func sender(secret: [UInt8]) throws(TextMessageError) -> any TextMessageSender {
        let seconds: @Sendable () -> Int64 = { SystemClock().now().microseconds / 1_000_000 }
        switch self {
        case .webhook(let url): return try WebhookSender(url: url, secret: secret, seconds: seconds)
        case .file(let path): return try FileSender(path: path, seconds: seconds)
        }
    }
}
