extension MemoryPart {
    /// A tag of this part with its place in the order of runs.
    ///
    /// It carries all there is of a tag that one event has, as most do: to fetch that from three arrays in the order of runs would
    /// miss the cache three times for each tag, and take most of a flush's time.
    struct RankedTag: Sendable {
        let tag: Tag
        let spread: UInt64
        /// Of the one event, counted from the part's first.
        let position: UInt64
        /// Index into ``tagNodes``.
        let node: Int32
        let type: EventType
        let isInOneEvent: Bool
    }

    /// The tags in the order of runs. Spreads being spread evenly, most go to their place by their top bits alone.
    func tagsInRunOrder() -> [RankedTag] {
        let bits = max(1, Int.bitWidth - tagNodes.count.leadingZeroBitCount)
        let shift = UInt64(64 - bits)
        let spreads = tagNodes.map { $0.tag.spread }
        var ends = [Int32](repeating: 0, count: 1 << bits)
        for spread in spreads { ends[Int(spread >> shift)] += 1 }
        for bucket in 1..<ends.count { ends[bucket] += ends[bucket - 1] }
        guard !spreads.isEmpty else { return [] }
        var ranked = [RankedTag](repeating: rankedTag(0, spreads[0]), count: spreads.count)
        for index in spreads.indices.reversed() {
            let bucket = Int(spreads[index] >> shift)
            ends[bucket] -= 1
            ranked[Int(ends[bucket])] = rankedTag(index, spreads[index])
        }
        Self.sortBuckets(&ranked, beginnings: ends)
        return ranked
    }

    /// Calls `body` with each list of a tag that several events have, ascending by type; positions ascend and count from the first.
    func forEachList(of ranked: RankedTag, _ positions: inout [UInt64], _ body: (EventType, [UInt64]) -> Void) {
        for list in sortedTypes(of: tagNodes[Int(ranked.node)]) {
            positions.removeAll(keepingCapacity: true)
            var index = list.newest
            while index >= 0 {
                positions.append(entries[Int(index)].position - first)
                index = entries[Int(index)].previousOfType
            }
            positions.reverse()
            body(list.type, positions)
        }
    }

    @inline(__always)
    private func rankedTag(_ index: Int, _ spread: UInt64) -> RankedTag {
        let node = tagNodes[index]
        return RankedTag(
            tag: node.tag, spread: spread, position: entries[Int(node.newest)].position - first, node: Int32(index),
            type: typeNodes[Int(node.firstType)].type, isInOneEvent: node.count == 1)
    }

    /// Buckets hold one or two tags, unless somebody has chosen them.
    private static func sortBuckets(_ ranked: inout [RankedTag], beginnings: [Int32]) {
        for bucket in beginnings.indices {
            let begin = Int(beginnings[bucket])
            let end = bucket + 1 < beginnings.count ? Int(beginnings[bucket + 1]) : ranked.count
            if end - begin > 1 {
                ranked[begin..<end].sort { $0.spread == $1.spread ? $0.tag < $1.tag : $0.spread < $1.spread }
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
