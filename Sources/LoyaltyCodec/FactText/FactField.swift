/// A named field of an event, in the order in which events are shown.
struct FactField {
    let name: String
    let value: FactValue

    init(_ name: String, _ value: FactValue) {
        (self.name, self.value) = (name, value)
    }
}
