import ReadModels

/// What accounts think of a shop, the latest word of each.
struct RatingAnswer: JSONWritable {
    let rating: Rating

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("average", rating.average)
            $0.field("count", rating.count)
            $0.array("histogram", rating.histogram) { $0.value($1) }
        }
    }
}
