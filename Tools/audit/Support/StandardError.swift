import Foundation

/// Lines for people that are no results.
enum StandardError {
    static func write(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }
}
