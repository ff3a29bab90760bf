internal import Mustache

/// A page for people: HTML from a template, in the reader's language.
///
/// The HTML of a public page has all its content. Most pages of signed-in people are only shells, which a ``Script`` fills. A shell is the
/// same for everybody, so a service worker may cache it.
public struct WebPage: Sendable {
    /// The page in HTML, as UTF-8. Texts that people wrote are escaped.
    public let html: String
    /// The tiles of the map on the page; nil for a page without a map.
    public let tiles: MapTiles?

    /// - Parameters:
    ///   - title: the document's title; the service's name is appended to it.
    ///   - script: the page's main module; nil for a page without scripts of its own.
    ///   - fields: the template's values, without its words and the values of `layout`.
    init(
        _ template: TemplateName, title: String, in frame: PageFrame, script: Script? = nil, preview: LinkPreview? = nil,
        hasMap: Bool = false, fields: [String: Any] = [:]
    ) {
        var all = frame.fields
        tiles = hasMap ? frame.tiles : nil
        all["title"] = title
        all["isPrivate"] = preview == nil
        all["preview"] = preview?.fields(title: title)
        all["script"] = script?.path
        all["imported"] = script?.imported
        html = Template.render(template, all.merging(fields) { _, own in own }, in: frame.language)
    }

    /// A page that scripts fill.
    ///
    /// - Parameter fields: unescaped texts, which the template escapes and shows.
    public static func shell(
        _ template: TemplateName, title: Word, script: Script, fields: [String: String] = [:], in frame: PageFrame
    ) -> WebPage {
        WebPage(template, title: frame.language.say(title), in: frame, script: script, fields: fields)
    }

    /// The Content-Security-Policy of every page without a map. It permits only files of this server and pictures made by scripts. It
    /// forbids inline scripts and styles, frames, and scripts made from strings. One policy of Trusted Types is permitted, which registers
    /// the service worker.
    public static let securityPolicy = securityPolicy(tiles: nil)

    /// The Content-Security-Policy of a page. With `tiles`, it also permits pictures from the tile server.
    public static func securityPolicy(tiles: MapTiles?) -> String {
        let pictures = "img-src 'self' blob:" + (tiles.map { " " + $0.origin } ?? "")
        return (policyBegin + [pictures] + policyEnd).joined(separator: "; ")
    }

    private static let policyBegin = ["default-src 'none'", "script-src 'self'", "style-src 'self'"]
    private static let policyEnd = [
        "connect-src 'self'", "worker-src 'self'",
        "manifest-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
        "trusted-types greentea",
    ]

    /// The Permissions-Policy of every page: only pages of this server may use the camera, for scanning, and the location, for searches
    /// nearby.
    public static let permissionsPolicy = "camera=(self), geolocation=(self), microphone=(), payment=(), usb=()"
}

/// The properties of a page apart from its content: the language, the page's own address, the tab, and the service's address and map tiles.
public struct PageFrame: Sendable {
    public let language: PageLanguage
    /// The requested path and query. The page is opened again at this address after its reader has chosen a language.
    let path: String
    /// The beginning of the addresses of shared links, without a slash at the end.
    public let publicURL: String
    /// The tiles of maps; nil if no tile server is configured.
    public let tiles: MapTiles?
    /// The tab to which the page belongs; nil if it belongs to none.
    var tab: PageTab?

    public init(language: PageLanguage, path: String, publicURL: String, tiles: MapTiles? = nil, tab: PageTab? = nil) {
        (self.language, self.path, self.publicURL, self.tiles, self.tab) = (language, path, publicURL, tiles, tab)
    }

    /// This frame, for a page that belongs to the tab.
    public func at(_ tab: PageTab) -> PageFrame {
        PageFrame(language: language, path: path, publicURL: publicURL, tiles: tiles, tab: tab)
    }

    fileprivate var fields: [String: Any] {
        [
            "language": language.rawValue, "wordsPath": language.wordsPath, "path": path,
            "tabs": PageTab.allCases.map { tab in
                ["href": tab.path, "icon": tab.icon, "text": language.say(tab.word), "isCurrent": tab == self.tab] as [String: Any]
            },
            "otherLanguages": PageLanguage.allCases.filter { $0 != language }.map { ["tag": $0.rawValue, "name": $0.name] },
        ]
    }
}

/// The tabs of every page.
public enum PageTab: Sendable, CaseIterable {
    case discover, wallet, scan, me

    var path: String {
        switch self {
        case .discover: "/"
        case .wallet: "/wallet"
        case .scan: "/scan"
        case .me: "/me"
        }
    }

    /// The name of the symbol in `icons.svg`.
    var icon: String {
        switch self {
        case .discover: "compass"
        case .wallet: "wallet"
        case .scan: "scan"
        case .me: "person"
        }
    }

    var word: Word {
        switch self {
        case .discover: .tabDiscover
        case .wallet: .tabWallet
        case .scan: .tabScan
        case .me: .tabMe
        }
    }
}

/// The preview of a link in programs that show one (Open Graph). Search engines must not list a page that has no preview.
struct LinkPreview: Sendable {
    /// The text of the preview, one sentence.
    let description: String
    /// The page's canonical address.
    let url: String
    /// The address of the preview's picture.
    var image: String?

    fileprivate func fields(title: String) -> [String: Any] {
        var fields: [String: Any] = ["title": title, "description": description, "url": url]
        fields["image"] = image
        return fields
    }
}
