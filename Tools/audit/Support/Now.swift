import EventLog
import Foundation

/// The present moment, which the library gets handed in.
enum Now {
    static var timestamp: Timestamp { Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1e6)) }
}
