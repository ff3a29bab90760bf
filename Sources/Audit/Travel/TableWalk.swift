internal import ReadModels

/// Walks through two states of a table in key order, side by side.
struct TableWalk {
    let before: CanonicalTable
    let after: CanonicalTable

    /// Calls `body` with each row that is not the same in both.
    func forEach(_ body: (RowChange) -> Void) {
        var (old, new) = (CanonicalRow(), CanonicalRow())
        var (oldIndex, newIndex) = (0, 0)
        if before.count > 0 { before.row(0, into: &old) }
        if after.count > 0 { after.row(0, into: &new) }
        while oldIndex < before.count || newIndex < after.count {
            let order =
                oldIndex == before.count ? 1 : newIndex == after.count ? -1 : KeyOrder.compare(old.key.bytes, new.key.bytes)
            if order < 0 {
                body(RowChange(key: PastKey.bytes(old.key), before: old.value, after: nil))
            } else if order > 0 {
                body(RowChange(key: PastKey.bytes(new.key), before: nil, after: new.value))
            } else if old.value != new.value {
                body(RowChange(key: PastKey.bytes(old.key), before: old.value, after: new.value))
            }
            if order <= 0 {
                oldIndex += 1
                if oldIndex < before.count { before.row(oldIndex, into: &old) }
            }
            if order >= 0 {
                newIndex += 1
                if newIndex < after.count { after.row(newIndex, into: &new) }
            }
        }
    }
}
