public import Loyalty
internal import LoyaltyCodec

/// A feed of news in Atom 1.0 (RFC 4287). All texts are escaped, and their type is text, so a reader shows no markup of theirs.
public struct AtomFeed: Sendable {
    public static let contentType = "application/atom+xml; charset=utf-8"

    /// RFC 4151. A feed's and an entry's id never change, wherever the service runs.
    static func id(_ name: String) -> String { "tag:greentea.dev,2026:" + name }

    /// One campaign or notice.
    public struct Entry: Sendable {
        /// The id of the campaign or notice.
        public let name: String
        public let title: String
        public let text: String
        /// The shop; nil for the service.
        public let author: String?
        public let page: String
        /// The last change.
        public let at: Instant

        public init(name: String, title: String, text: String, author: String?, page: String, at: Instant) {
            (self.name, self.title, self.text, self.author, self.page, self.at) = (name, title, text, author, page, at)
        }
    }

    public let name: String
    public let title: String
    public let author: String
    /// The addresses of the feed and of the page for people.
    public let (address, page): (String, String)
    /// When the feed began; for a feed without entries.
    public let since: Instant
    /// Newest first.
    public let entries: [Entry]

    public init(name: String, title: String, author: String, address: String, page: String, since: Instant, entries: [Entry]) {
        (self.name, self.title, self.author) = (name, title, author)
        (self.address, self.page, self.since, self.entries) = (address, page, since, entries)
    }

    /// The newest change.
    public var updatedAt: Instant { entries.map(\.at).max() ?? since }

    public var document: String {
        let head = [
            Self.element("id", Self.id(name)), Self.element("title", title), Self.element("updated", updatedAt.rfc3339),
            Self.link("self", AtomFeed.mediaType, address), Self.link("alternate", "text/html", page), Self.author(author),
        ]
        let lines = head + entries.map(\.element)
        return "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n"
            + lines.map { $0 + "\n" }.joined() + "</feed>\n"
    }

    static let mediaType = "application/atom+xml"

    static func element(_ name: String, _ text: String) -> String { "<\(name)>\(XMLText.escaped(text))</\(name)>" }

    static func link(_ relation: String, _ type: String, _ address: String) -> String {
        "<link rel=\"\(relation)\" type=\"\(type)\" href=\"\(XMLText.escaped(address))\"/>"
    }

    static func author(_ name: String) -> String { "<author>\(element("name", name))</author>" }
}

extension AtomFeed.Entry {
    fileprivate var element: String {
        var parts = [
            AtomFeed.element("id", AtomFeed.id(name)), AtomFeed.element("title", title), AtomFeed.element("updated", at.rfc3339),
            AtomFeed.link("alternate", "text/html", page),
        ]
        if let author { parts.append(AtomFeed.author(author)) }
        if !text.isEmpty { parts.append(AtomFeed.element("summary", text)) }
        return "<entry>" + parts.joined() + "</entry>"
    }
}

/// Text for XML 1.0, which has no form for most control characters. Those become U+FFFD.
enum XMLText {
    static func escaped(_ text: String) -> String {
        var allowed = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { allowed.append(isAllowed(scalar) ? scalar : "\u{FFFD}") }
        return ScalarEscaping().escapeText(String(allowed))
    }

    /// The production `Char`, without a carriage return, which a parser would turn into a line feed.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x9, 0xA, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }
}
