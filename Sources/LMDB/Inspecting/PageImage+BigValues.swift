extension PageImage {
    /// Looks at the pages on which a leaf's big values stand.
    ///
    /// - Returns: what is wrong with the first wrong one.
    func problemOfBigValues(in file: PageFile, census: inout PageCensus, pages: inout UInt64) -> String? {
        for index in 0..<count {
            let node = node(index)
            guard node.isBig else { continue }
            if let problem = Self.problem(of: node, at: load64(node.key.upperBound), in: file, census: &census, pages: &pages) {
                return "entry \(index): \(problem)"
            }
        }
        return nil
    }

    private static func problem(
        of node: PageNode, at first: UInt64, in file: PageFile, census: inout PageCensus, pages: inout UInt64
    ) -> String? {
        let count = UInt64((headBytes - 1 + node.valueBytes) / file.pageBytes + 1)
        for page in 0..<count {
            if let problem = census.take(first &+ page) { return problem }
        }
        pages += count
        var head = PageImage()
        guard file.read(headBytes, from: first, at: 0, into: &head.bytes) else { return "the file does not hold page \(first)" }
        if head.number != first { return "page \(first) says that it is page \(head.number)" }
        if head.flags != overflow { return "page \(first) has the flags \(head.flags), and should be a big value's" }
        return head.overflowPages == count ? nil : "page \(first) says that it has \(head.overflowPages) pages, not \(count)"
    }
}
