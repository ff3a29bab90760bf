package protocol EntrySource: Sendable {
    func entries(after position: Position, bytes: Int) throws(EventLogError) -> [[UInt8]]
}
package final class LogFollower: Sendable {
    package struct Status: Sendable {
        package var position: Position
        package var silentSeconds: Double
        package var failure: EventLogError?
    }
    package init(log: EventLog, key: EntryKey, from source: any EntrySource, onFailure: @escaping @Sendable (EventLogError) -> Void) { }
    package func start() {}
    package func stop() {}
    package var status: Status { Status(position: .start, silentSeconds: 0, failure: nil) }
}
