internal import Mustache

/// A page for people: HTML from a template, in the reader's language. A public page has all its content. Most pages of signed-in people are
/// shells, the same for everybody, which a ``Script`` fills.
public struct WebPage: Sendable {
    /// UTF-8, with people's texts escaped.
    public let html: String
    /// Nil for a page without a map.
    public let tiles: MapTiles?

    /// - Parameter script: nil for none.
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

    /// - Parameter fields: unescaped; the template escapes them.
    public static func shell(
        _ template: TemplateName, title: Word, script: Script, fields: [String: String] = [:], in frame: PageFrame
    ) -> WebPage {
        WebPage(template, title: frame.language.say(title), in: frame, script: script, fields: fields)
    }

    /// The Content-Security-Policy without a map: only this server's files and pictures made by scripts; no inline scripts or styles, no
    /// frames, no scripts from strings. One Trusted Types policy registers the service worker.
    public static let securityPolicy = securityPolicy(tiles: nil)

    /// With `tiles`, pictures from the tile server are permitted.
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

    /// The Permissions-Policy: only this server's pages may use the camera (scanning) and the location (searches nearby).
    public static let permissionsPolicy = "camera=(self), geolocation=(self), microphone=(), payment=(), usb=()"
}

/// The properties around a page's content.
public struct PageFrame: Sendable {
    public let language: PageLanguage
    /// The requested path and query, opened again after a choice of language.
    let path: String
    /// The beginning of shared links, without a final slash.
    public let publicURL: String
    /// Nil without a tile server.
    public let tiles: MapTiles?
    var tab: PageTab?

    public init(language: PageLanguage, path: String, publicURL: String, tiles: MapTiles? = nil, tab: PageTab? = nil) {
        (self.language, self.path, self.publicURL, self.tiles, self.tab) = (language, path, publicURL, tiles, tab)
    }

    /// This frame, for a page on a tab.
    public func at(_ tab: PageTab) -> PageFrame { PageFrame(language: language, path: path, publicURL: publicURL, tiles: tiles, tab: tab) }

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

    /// In `icons.svg`.
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

/// A link's preview (Open Graph). Search engines must not list a page without one.
struct LinkPreview: Sendable {
    /// One sentence.
    let description: String
    /// Canonical.
    let url: String
    var image: String?

    fileprivate func fields(title: String) -> [String: Any] {
        var fields: [String: Any] = ["title": title, "description": description, "url": url]
        fields["image"] = image
        return fields
    }
}
