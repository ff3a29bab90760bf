internal import Foundation

/// Lines for people that are no results. Where they cannot be written there is nobody left to tell.
public enum StandardError {
    /// Writes one line at once.
    public static func write(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }
}
