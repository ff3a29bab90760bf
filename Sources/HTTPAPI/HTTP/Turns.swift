extension Array {
    /// The transformed elements, in order. Other requests have their turn after each few elements, because reading a hundred things from
    /// the log occupies one of few threads for milliseconds, during which short requests would wait.
    ///
    /// - Parameter count: the number of elements transformed without a pause.
    func mapInTurns<Value>(of count: Int = Limits.itemsPerTurn, _ transform: (Element) throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(self.count)
        for (number, element) in enumerated() {
            if number > 0, number.isMultiple(of: count) { await Task.yield() }
            values.append(try transform(element))
        }
        return values
    }
}
