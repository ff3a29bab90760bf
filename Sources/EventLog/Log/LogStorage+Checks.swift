internal import LMDB

extension LogStorage {
    /// When the log was made, as its first opener said.
    func created() throws(EventLogError) -> Timestamp {
        guard let bytes = try environment.value(meta, LogMeta.createdKey), bytes.count == 8 else {
            throw EventLogError(.damaged, "the log does not say when it was created.")
        }
        return Timestamp(microseconds: Int64(bitPattern: bytes.span.littleEndian64(at: 0)))
    }

    /// Finds a gap by arithmetic: positions ascend from 1, so the last is their number unless one is missing.
    func checkDensity() throws(EventLogError) {
        let numbers: (first: UInt64, last: UInt64, count: UInt64)
        do throws(LMDBError) {
            let environment = environment
            let snapshot = try environment.snapshot()
            var cursor = try snapshot.cursor(events)
            guard try cursor.first() else { return }
            let first = cursor.integerKey
            _ = try cursor.last()
            numbers = (first, cursor.integerKey, UInt64(try snapshot.count(events)))
        } catch { throw EventLogError(error) }
        if numbers.first == 1 && numbers.last == numbers.count { return }
        throw Self.gap(at: try firstMissing())
    }

    /// The first position that is not there: only looked for when one is known to be missing.
    private func firstMissing() throws(EventLogError) -> UInt64 {
        do throws(LMDBError) {
            let environment = environment
            let snapshot = try environment.snapshot()
            var cursor = try snapshot.cursor(events)
            var expected: UInt64 = 1
            while try cursor.next(), cursor.integerKey == expected { expected += 1 }
            return expected
        } catch { throw EventLogError(error) }
    }
}
