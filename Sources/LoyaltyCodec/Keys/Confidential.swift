/// A value that must not end up in a log by being printed, interpolated or dumped.
protocol Confidential: CustomStringConvertible, CustomReflectable {}

extension Confidential {
    public var description: String { "\(Self.self)(not shown)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
