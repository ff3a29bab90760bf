import EventLog
import Foundation

/// A small file of text, such as a key's.
enum TextFile {
    static func text(of path: String) throws(FileFault) -> String {
        do { return try String(contentsOfFile: path, encoding: .utf8) } catch { throw FileFault(error) }
    }
}
