extension MemoryPart {
    /// A tag of this part with its place in the order of runs.
    struct RankedTag: Sendable {
        let spread: UInt64
        let node: Int32
    }

    /// The tags in the order of runs. Spreads being spread evenly, most go to their place by their top bits alone.
    func tagsInRunOrder() -> [RankedTag] {
        let bits = max(1, Int.bitWidth - tagNodes.count.leadingZeroBitCount)
        let shift = UInt64(64 - bits)
        var ends = [Int32](repeating: 0, count: 1 << bits)
        let spreads = tagNodes.map { $0.tag.spread }
        for spread in spreads { ends[Int(spread >> shift)] += 1 }
        for bucket in 1..<ends.count { ends[bucket] += ends[bucket - 1] }
        var ranked = [RankedTag](repeating: RankedTag(spread: 0, node: 0), count: spreads.count)
        for index in spreads.indices.reversed() {
            let bucket = Int(spreads[index] >> shift)
            ends[bucket] -= 1
            ranked[Int(ends[bucket])] = RankedTag(spread: spreads[index], node: Int32(index))
        }
        sortBuckets(&ranked, beginnings: ends)
        return ranked
    }

    /// Writes the lists of a tag, ascending by type and position.
    func write(listsOf ranked: RankedTag, to writer: inout RunWriter) {
        let node = tagNodes[Int(ranked.node)]
        let first = typeNodes[Int(node.firstType)]
        if first.nextType < 0 { return write(node.tag, ranked.spread, first, &writer) }
        for typeNode in sortedTypes(of: node) { write(node.tag, ranked.spread, typeNode, &writer) }
    }

    /// Buckets hold one or two tags, unless somebody has chosen them.
    private func sortBuckets(_ ranked: inout [RankedTag], beginnings: [Int32]) {
        for bucket in beginnings.indices {
            let begin = Int(beginnings[bucket])
            let end = bucket + 1 < beginnings.count ? Int(beginnings[bucket + 1]) : ranked.count
            if end - begin > 1 { ranked[begin..<end].sort(by: isBefore) }
        }
    }

    private func isBefore(_ left: RankedTag, _ right: RankedTag) -> Bool {
        if left.spread != right.spread { return left.spread < right.spread }
        return tagNodes[Int(left.node)].tag < tagNodes[Int(right.node)].tag
    }

    private func write(_ tag: Tag, _ spread: UInt64, _ list: TypeNode, _ writer: inout RunWriter) {
        writer.beginList(tag, spread: spread, list.type, total: UInt64(list.count))
        if list.count == 1 {
            writer.add(entries[Int(list.newest)].position - first)
        } else {
            for position in positions(of: list).reversed() { writer.add(position - first) }
        }
        writer.endList()
    }

    /// Newest first, as they are chained.
    private func positions(of list: TypeNode) -> [UInt64] {
        var positions: [UInt64] = []
        positions.reserveCapacity(Int(list.count))
        var index = list.newest
        while index >= 0 {
            positions.append(entries[Int(index)].position)
            index = entries[Int(index)].previousOfType
        }
        return positions
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
