import Foundation

/// The operations that are described but not implemented yet. `Fixtures/http/not-built.txt` lists them and must become empty.
enum NotBuilt {
    /// The names of the operations, such as `POST /v1/stamps`.
    static let operations: Set<String> = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Fixtures/http/not-built.txt")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return Set(text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") })
    }()
}
