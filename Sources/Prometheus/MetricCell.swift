/// One series: the numbers behind one name and one set of labels.
protocol MetricCell: Sendable {
    /// Its lines of the exposition, each with its line end.
    func write(_ name: String, _ labels: MetricLabels, to text: inout String)
}
