internal import Synchronization

/// A reference that can be taken once, so that its holder keeps nothing alive afterwards.
final class Loan<Object: AnyObject & Sendable>: Sendable {
    private let object: Mutex<Object?>

    init(_ object: Object) { self.object = Mutex(object) }

    func take() -> Object? {
        object.withLock { object in
            defer { object = nil }
            return object
        }
    }
}
