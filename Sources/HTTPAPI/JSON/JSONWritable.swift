/// Something that can be written as one JSON value, always with the same fields in the same order.
protocol JSONWritable {
    func write(to json: inout JSONWriter)
}
