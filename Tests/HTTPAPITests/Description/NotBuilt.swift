import Foundation

/// What the description describes and the server does not answer yet: `Fixtures/http/not-built.txt`, which must shrink to nothing.
enum NotBuilt {
    /// `POST /v1/stamps` and the like.
    static let operations: Set<String> = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Fixtures/http/not-built.txt")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return Set(text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") })
    }()
}
