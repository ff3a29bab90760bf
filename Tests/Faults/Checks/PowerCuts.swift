import Seeds

/// Cuts the power of a recorded child at given moments, one after the other, and checks the log after each cut.
package struct PowerCuts {
    private let journal: Journal
    private let expected: ExpectedLog
    private let bug: SeededBug
    private var disk: DiskModel
    private var applied = 0

    /// Prepares the power cuts of one child.
    package init(_ journal: Journal, _ expected: ExpectedLog, names: NameModel = .journalled, bug: SeededBug = .none) {
        self.journal = journal
        self.expected = expected
        self.bug = bug
        disk = DiskModel(names)
    }

    /// Returns the disk image after a power cut. Power cuts MUST be requested in the order of the journal.
    ///
    /// - Throws: ``FaultError`` for an invalid journal.
    package mutating func image(after cut: Cut) throws(FaultError) -> DiskImage {
        while applied < cut.records {
            try apply(journal.records[applied])
            applied += 1
        }
        var random = SeededRandom(seed: cut.seed)
        return disk.image(random.pick(Chance.all), &random)
    }

    /// Writes the disk image after a power cut to a folder, and checks the log in this folder.
    ///
    /// - Throws: if the image cannot be made.
    package mutating func outcome(of cut: Cut, in folder: String) throws -> LogCheck.Outcome {
        try image(after: cut).write(to: folder)
        return LogCheck(expected, acknowledged: journal.acknowledged(within: cut.records)).outcome(of: LogFolders(in: folder))
    }

    private mutating func apply(_ record: JournalRecord) throws(FaultError) {
        let isVoice = record.path == Acknowledgement.fileName
        if isVoice || bug.hides(record) { disk.skip() } else { try disk.apply(record) }
    }
}
