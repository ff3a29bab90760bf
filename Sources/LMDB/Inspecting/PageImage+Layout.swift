extension PageImage {
    /// What is wrong with the page as one of a tree, the keys apart: nil when every byte of it is either the head, a pointer, an
    /// entry, or free space between them.
    func problem(number expected: UInt64, isLeaf: Bool) -> String? {
        if number != expected { return "it says that it is page \(number)" }
        if flags != (isLeaf ? Self.leaf : Self.branch) { return "its flags are \(flags), and it should be a \(isLeaf ? "leaf" : "branch")" }
        guard lower >= Self.headBytes, lower % 2 == 0, lower <= upper, upper <= bytes.count else {
            return "its free space goes from \(lower) to \(upper)"
        }
        return count == 0 ? "it has no entries" : nodeProblem(isLeaf)
    }

    /// Entries are packed from the end of the page, so that together they fill it from ``upper`` on without gap or overlap.
    private func nodeProblem(_ isLeaf: Bool) -> String? {
        var end = bytes.count
        var isDescending = true
        for index in 0..<count {
            let node = node(index)
            guard node.offset >= upper, node.offset % 2 == 0, node.offset + node.size(inLeaf: isLeaf) <= bytes.count else {
                return "entry \(index) lies at \(node.offset), outside of the page's entries"
            }
            if node.offset + node.size(inLeaf: isLeaf) != end { isDescending = false }
            end = node.offset
        }
        return isDescending && end == upper ? nil : packingProblem(isLeaf)
    }

    private func packingProblem(_ isLeaf: Bool) -> String? {
        var end = bytes.count
        for node in (0..<count).map({ node($0) }).sorted(by: { $0.offset > $1.offset }) {
            guard node.offset + node.size(inLeaf: isLeaf) == end else { return "its entries overlap or leave a gap at \(end)" }
            end = node.offset
        }
        return end == upper ? nil : "its entries begin at \(end), and the free space ends at \(upper)"
    }
}
