extension Journal {
    /// What the child had said last when the first `count` records were all there was.
    package func acknowledged(within count: Int) -> Acknowledgement? {
        records.prefix(count).reversed().lazy.compactMap { Self.said($0) }.first
    }

    /// How many records there are up to and with each acknowledgement.
    package var acknowledgementEnds: [Int] {
        records.indices.filter { Self.said(records[$0]) != nil }.map { $0 + 1 }
    }

    /// How many records there are up to and with each flush of a folder or of a file other than an environment's data.
    package var rareFlushEnds: [Int] {
        let rare = records.indices.filter { index in
            if case .flushed(let path, _) = records[index] { !path.hasSuffix("data.mdb") } else { false }
        }
        return rare.map { $0 + 1 }
    }

    /// The acknowledgement in a record, if it is one.
    package static func said(_ record: JournalRecord) -> Acknowledgement? {
        guard case .wrote(Acknowledgement.fileName, _, let bytes) = record else { return nil }
        return Acknowledgement.last(in: bytes)
    }
}
