extension Journal {
    /// The child's last acknowledgement among the first `count` records.
    package func acknowledged(within count: Int) -> Acknowledgement? {
        records.prefix(count).reversed().lazy.compactMap { Self.said($0) }.first
    }

    /// For each acknowledgement, the number of records up to and including the acknowledgement.
    package var acknowledgementEnds: [Int] {
        records.indices.filter { Self.said(records[$0]) != nil }.map { $0 + 1 }
    }

    /// For each flush of a folder, or of a file other than an environment's data file, the number of records up to and including the flush.
    package var rareFlushEnds: [Int] {
        let rare = records.indices.filter { index in
            if case .flushed(let path, _) = records[index] { !path.hasSuffix("data.mdb") } else { false }
        }
        return rare.map { $0 + 1 }
    }

    /// The acknowledgement that a record wrote; nil for any other record.
    package static func said(_ record: JournalRecord) -> Acknowledgement? {
        guard case .wrote(Acknowledgement.fileName, _, let bytes) = record else { return nil }
        return Acknowledgement.last(in: bytes)
    }
}
