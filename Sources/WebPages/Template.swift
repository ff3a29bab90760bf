internal import Mustache

/// The one page that all of them are: a head for those who show links, a heading, lines, and places to go.
///
/// No script and nothing from elsewhere, so the policy that goes with it (``WebPage/securityPolicy``) allows nothing but this style.
enum Template {
    static let style = """
        body{font:1.1em/1.5 system-ui,sans-serif;max-width:34em;margin:2em auto;padding:0 1em;color:#222;background:#fff}\
        h1{font-size:1.5em;line-height:1.2}img{max-width:100%;border-radius:.5em}a{color:#17603a}\
        .code{font:700 2em/1 ui-monospace,monospace;letter-spacing:.1em}nav a{display:inline-block;margin:0 1em .5em 0}\
        .note{color:#555}@media(prefers-color-scheme:dark){body{color:#eee;background:#161a17}a{color:#8fd6a9}.note{color:#aaa}}
        """

    /// It is a constant of the program: that it reads is tested, and it fails for everybody or nobody.
    static let page: MustacheTemplate? = {
        ScalarEscaping.register()
        return try? MustacheTemplate(string: text)
    }()

    private static let text = """
        {{% CONTENT_TYPE: \(ScalarEscaping.name)}}
        <!doctype html>
        <html lang="{{language}}">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>{{title}}</title>
        <meta name="description" content="{{description}}">
        {{#isPrivate}}
        <meta name="robots" content="noindex">
        {{/isPrivate}}
        <meta property="og:type" content="website">
        <meta property="og:site_name" content="GreenTea">
        <meta property="og:title" content="{{title}}">
        <meta property="og:description" content="{{description}}">
        {{#url}}
        <meta property="og:url" content="{{url}}">
        <link rel="canonical" href="{{url}}">
        {{/url}}
        {{#image}}
        <meta property="og:image" content="{{image}}">
        {{/image}}
        <style>\(style)</style>
        </head>
        <body>
        <h1>{{title}}</h1>
        {{#code}}
        <p class="code">{{code}}</p>
        {{/code}}
        {{#image}}
        <p><img src="{{image}}" alt=""></p>
        {{/image}}
        {{#lines}}
        <p>{{.}}</p>
        {{/lines}}
        {{#hasLinks}}
        <nav>
        {{#links}}
        <a href="{{address}}" rel="noreferrer">{{text}}</a>
        {{/links}}
        </nav>
        {{/hasLinks}}
        <p class="note">{{note}}</p>
        </body>
        </html>

        """
}

/// Escapes HTML scalar by scalar.
///
/// The library's own goes by what people see as characters: a quotation mark with an accent on it is none to it, and stays. A browser
/// takes the mark for what it is, and the attribute ends there.
struct ScalarEscaping: MustacheContentType {
    /// The name that templates call it by.
    static let name = "GREENTEA"

    /// Registers the content types. MUST be called before the first template is read.
    static func register() { MustacheContentTypes.register(ScalarEscaping(), named: name) }

    func escapeText(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if let entity = Self.entity(scalar) { escaped.append(contentsOf: entity.unicodeScalars) } else { escaped.append(scalar) }
        }
        return String(escaped)
    }

    private static func entity(_ scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "<": "&lt;"
        case ">": "&gt;"
        case "&": "&amp;"
        case "\"": "&quot;"
        case "'": "&#39;"
        case "`": "&#96;"
        default: nil
        }
    }
}
