import Foundation

/// An address on the web, as a setting has it.
struct WebAddress {
    let text: String

    /// Whether it is one of http or https, with a host.
    var isUsable: Bool {
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased() else { return false }
        return ["http", "https"].contains(scheme) && parts.host?.isEmpty == false
    }

    /// Whether it is nothing but scheme, host, port and path, so that a path can be put behind it.
    var isBase: Bool { isUsable && !text.contains { "?#@".contains($0) } }

    /// The address without what may be a secret in it: who asks, and the query. Of any text, since what is mistyped is shown too.
    var withoutSecrets: String {
        let end = text.firstIndex { "?#".contains($0) } ?? text.endIndex
        let (place, query) = (text[..<end], text[end...])
        let scheme = place.range(of: "://").map { place[..<$0.upperBound] } ?? ""
        // A password may hold a question mark, which it must not: then nothing can be told apart.
        if query.contains("@") { return scheme + "(hidden)" }
        let hidden = query.isEmpty ? "" : "?(hidden)"
        guard let sign = place.lastIndex(of: "@") else { return place + hidden }
        return scheme + "(hidden)" + place[sign...] + hidden
    }
}
