extension PageFile {
    /// The head page that counts, as of now: that of the greater transaction among those that are one.
    ///
    /// - Throws: ``LMDBError/Code/foreign`` when neither is.
    public func newestHead() throws(LMDBError) -> HeadPage {
        let heads = [0, 1].compactMap { HeadPage($0, of: self) }.filter(\.isHead)
        guard let newest = heads.max(by: { $0.transaction < $1.transaction }) else {
            throw LMDBError(.foreign, call: "pread", path: path, text: "neither of the head pages is one")
        }
        return newest
    }

    /// The head page that a snapshot sees; nil when a writer has overwritten it, which takes two commits.
    public func head(of transaction: UInt64) -> HeadPage? {
        [0, 1].compactMap { HeadPage($0, of: self) }.first { $0.isHead && $0.transaction == transaction }
    }

    /// What is wrong with the two head pages. Only the newer one's trees are ever read, so those of the older one are not looked at.
    public func headFindings() -> [PageFinding] {
        let heads = [0, 1].map { HeadPage($0, of: self) }
        var findings: [PageFinding] = []
        for (number, head) in heads.enumerated() {
            let problems = head.map { $0.problems(pageBytes: pageBytes) } ?? ["the file does not hold it"]
            findings += problems.map { PageFinding(page: UInt64(number), $0) }
        }
        if let first = heads[0]?.transaction, let second = heads[1]?.transaction, max(first, second) - min(first, second) > 1 {
            findings.append(PageFinding(page: nil, "the head pages are of transactions \(first) and \(second), which are no neighbours"))
        }
        return findings
    }

    /// The tables as of a head page, by name.
    ///
    /// - Throws: ``LMDBError/Code/damaged``.
    public func tables(of head: HeadPage) throws(LMDBError) -> [String: TreeRoot] {
        var tables: [String: TreeRoot] = [:]
        var cursor = FileCursor(head.main, in: self)
        while try cursor.next() {
            if let tree = cursor.subTree { tables[String(decoding: cursor.keyBytes, as: UTF8.self)] = tree }
        }
        return tables
    }
}
