extension MemoryPart {
    /// How many events here have a tag and, if any are named, one of the types.
    func count(of tag: Tag, types: [EventType]) -> Int {
        guard let node = node(of: tag) else { return 0 }
        if types.isEmpty { return Int(node.count) }
        var total = 0
        for type in Set(types) { total += Int(typeNode(of: type, under: node)?.count ?? 0) }
        return total
    }

    /// The newest position through `last` of an event with a tag and, if given, a type.
    func newest(of tag: Tag, type: EventType?, through last: UInt64) -> UInt64? {
        guard let node = node(of: tag) else { return nil }
        var index: Int32
        if let type { index = typeNode(of: type, under: node)?.newest ?? -1 } else { index = node.newest }
        while index >= 0 {
            let entry = entries[Int(index)]
            if entry.position <= last { return entry.position }
            index = type == nil ? entry.previousOfTag : entry.previousOfType
        }
        return nil
    }

    /// Appends the positions in a range of the events with a tag and, if any are named, one of the types; newest first, and at
    /// least the newest `limit` of them.
    func collect(_ tag: Tag, types: [EventType], in range: PositionRange, limit: Int, into found: inout [UInt64]) {
        guard let node = node(of: tag) else { return }
        if types.isEmpty { return collect(from: node.newest, ofType: false, range, limit, &found) }
        let start = found.count
        var chains = 0
        for type in Set(types) {
            guard let typeNode = typeNode(of: type, under: node) else { continue }
            collect(from: typeNode.newest, ofType: true, range, limit, &found)
            chains += 1
        }
        if chains > 1 { found[start...].sort(by: >) }
    }

    private func collect(
        from newest: Int32, ofType: Bool, _ range: PositionRange, _ limit: Int, _ found: inout [UInt64]
    ) {
        var (index, left) = (newest, limit)
        while index >= 0, left > 0 {
            let entry = entries[Int(index)]
            if entry.position < range.first { return }
            if entry.position <= range.last {
                found.append(entry.position)
                left -= 1
            }
            index = ofType ? entry.previousOfType : entry.previousOfTag
        }
    }

    private func typeNode(of type: EventType, under node: TagNode) -> TypeNode? {
        var index = node.firstType
        while index >= 0 {
            let typeNode = typeNodes[Int(index)]
            if typeNode.type == type { return typeNode }
            index = typeNode.nextType
        }
        return nil
    }
}
