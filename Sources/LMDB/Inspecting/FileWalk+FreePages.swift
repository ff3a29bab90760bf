extension FileWalk {
    /// The list of free pages: for each transaction the pages that it freed, their number first, in descending order.
    func walkFreePages(_ census: inout PageCensus) {
        var lists: [(key: PageKey, node: PageNode, place: UInt64, bytes: [UInt8])] = []
        var walk = TreeWalk(head.free, of: "free pages", in: file, census: census, report: report) { key, node, page in
            let start = node.key.upperBound
            let image = PageImage(bytes: page)
            let inline = node.isBig ? [] : Array(page[start..<min(page.count, start + node.valueBytes)])
            lists.append((key, node, image.load64(start), inline))
        }
        walk.run()
        census = walk.census
        for list in lists { take(list, &census) }
    }

    private func take(_ list: (key: PageKey, node: PageNode, place: UInt64, bytes: [UInt8]), _ census: inout PageCensus) {
        if list.key.number == 0 || list.key.number > head.transaction {
            let what = "a list of transaction \(list.key), and the last one is \(head.transaction)"
            report(PageFinding(page: nil, table: "free pages", what))
        }
        var image = PageImage(bytes: list.bytes)
        if list.node.isBig, !file.read(list.node.valueBytes, from: list.place, at: PageImage.headBytes, into: &image.bytes) {
            return report(PageFinding(page: list.place, table: "free pages", "the file does not hold the list of transaction \(list.key)"))
        }
        if let problem = problem(of: image, &census) {
            report(PageFinding(page: nil, table: "free pages", "the list of transaction \(list.key): \(problem)"))
        }
    }

    private func problem(of list: PageImage, _ census: inout PageCensus) -> String? {
        let count = list.load64(0)
        guard list.bytes.count % 8 == 0, count < list.bytes.count / 8 else { return "\(count) pages in \(list.bytes.count) bytes" }
        var before = UInt64.max
        for index in 1..<Int(count) + 1 {
            let page = list.load64(8 * index)
            if page >= before { return "page \(page) follows \(before)" }
            if let problem = census.take(page) { return problem }
            before = page
        }
        return nil
    }
}
