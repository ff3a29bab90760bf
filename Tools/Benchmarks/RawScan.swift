import LMDB

/// The ceiling of reading: a cursor over a table of records that touches every byte.
enum RawScan {
    /// - Returns: how many records there are.
    static func count(in environment: Environment) throws -> Int {
        let events = try environment.table("events", .integer)
        let snapshot = try environment.snapshot()
        var cursor = try snapshot.cursor(events)
        var (count, sum) = (0, UInt64(0))
        var isThere = try cursor.first()
        while isThere {
            sum &+= self.sum(of: cursor.value)
            count += 1
            isThere = try cursor.next()
        }
        guard count == 0 || sum != 0 else { throw BenchError.unexpected }
        return count
    }

    /// The sum of the bytes, by words: something that cannot be known without looking at each.
    static func sum(of record: Span<UInt8>) -> UInt64 {
        var (offset, sum) = (0, UInt64(0))
        while offset + 8 <= record.count {
            sum &+= record.littleEndian64(at: offset)
            offset += 8
        }
        while offset < record.count {
            sum &+= UInt64(record[offset])
            offset += 1
        }
        return sum
    }
}
