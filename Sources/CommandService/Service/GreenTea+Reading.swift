public import EventLog

extension GreenTea {
    /// Reads single things straight from the log, as of now or as of a position.
    ///
    /// - Throws: whatever `body` throws of `ServiceError`; anything else as `.failed`.
    public func reading<Value>(
        through position: Position? = nil, _ body: (LogPast<EventLog>) throws -> Value
    ) throws(ServiceError) -> Value {
        do {
            return try body(LogPast(log, through: position))
        } catch let error as ServiceError {
            throw error
        } catch {
            throw .failed(String(describing: error))
        }
    }
}
