extension MemoryPart {
    /// Calls `body` with every tag, type and position, in the order of the persistent index's keys.
    ///
    /// Only the nodes are sorted: the entries of each are chained already.
    func forEachSorted<Failure: Error>(
        _ body: (Tag, EventType, [UInt64]) throws(Failure) -> Void
    ) throws(Failure) {
        var positions: [UInt64] = []
        for node in tagNodes.sorted(by: { $0.tag < $1.tag }) {
            for typeNode in sortedTypes(of: node) {
                positions.removeAll(keepingCapacity: true)
                var index = typeNode.newest
                while index >= 0 {
                    positions.append(entries[Int(index)].position)
                    index = entries[Int(index)].previousOfType
                }
                positions.reverse()
                try body(node.tag, typeNode.type, positions)
            }
        }
    }

    private func sortedTypes(of node: TagNode) -> [TypeNode] {
        var types: [TypeNode] = []
        var index = node.firstType
        while index >= 0 {
            types.append(typeNodes[Int(index)])
            index = typeNodes[Int(index)].nextType
        }
        return types.sorted { $0.type < $1.type }
    }
}
