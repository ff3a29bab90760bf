import HTTPTypes

/// Which methods a path knows; asked only where the router found nothing, so it is a plain list.
struct RouteTable: Sendable {
    private struct Template: Sendable {
        /// `nil` stands for any one segment.
        let segments: [String?]
        /// Whether any segments, at least one, may follow: a `**` at the end.
        let isOpen: Bool
        let method: HTTPRequest.Method

        func matches(_ path: [Substring]) -> Bool {
            guard isOpen ? path.count > segments.count : path.count == segments.count else { return false }
            return zip(segments, path).allSatisfy { segment, part in segment.map { $0 == part } ?? true }
        }
    }

    private let templates: [Template]

    init(_ routes: [Route]) {
        templates = routes.map { route in
            let isOpen = route.path.hasSuffix("/**")
            let parts = route.path.split(separator: "/").dropLast(isOpen ? 1 : 0)
            return Template(segments: parts.map { $0.hasPrefix("{") ? nil : String($0) }, isOpen: isOpen, method: route.method)
        }
    }

    /// The value of `Allow` for a path, or `nil` where there is nothing at that path.
    func allowed(at path: String) -> String? {
        let parts = path.split(separator: "/")
        var methods = Set(templates.lazy.filter { $0.matches(parts) }.map(\.method.rawValue))
        guard !methods.isEmpty else { return nil }
        if methods.contains("GET") { methods.insert("HEAD") }
        methods.insert("OPTIONS")
        return methods.sorted().joined(separator: ", ")
    }
}
