internal import Crypto
internal import Foundation
internal import Mustache

/// A small page for those who open a shared link or a scanned code without the app: plain HTML with Open Graph tags.
public struct WebPage: Sendable {
    /// A place to go.
    struct Link: Sendable {
        let text: String
        let address: String
    }

    let language: PageLanguage
    let title: String
    /// One sentence for those who show the link.
    let description: String
    /// Where the page is; nil for one that nobody is to share.
    var url: String?
    /// The address of a picture.
    var image: String?
    /// A code, as it is typed.
    var code: String?
    var lines: [String] = []
    var links: [Link] = []
    let note: String

    /// The page as UTF-8. Whatever people wrote is escaped.
    public var html: String {
        guard let page = Template.page else { return "" }
        return page.render(fields)
    }

    /// What browsers may do with it: show it, with pictures from here, and nothing else.
    public static let securityPolicy: String = {
        let style = Data(SHA256.hash(data: Data(Template.style.utf8))).base64EncodedString()
        return "default-src 'none'; style-src 'sha256-\(style)'; img-src 'self'; base-uri 'none'; form-action 'none'; "
            + "frame-ancestors 'none'"
    }()

    private var fields: [String: Any] {
        var fields: [String: Any] = [
            "language": language.rawValue, "title": title, "description": description, "lines": lines, "note": note,
            "links": links.map { ["text": $0.text, "address": $0.address] }, "hasLinks": !links.isEmpty, "isPrivate": url == nil,
        ]
        fields["url"] = url
        fields["image"] = image
        fields["code"] = code
        return fields
    }
}
