internal import Loyalty

/// A named field of an event, in the order in which events are shown.
struct FactField {
    let name: String
    let value: FactValue

    init(_ name: String, _ value: FactValue) {
        (self.name, self.value) = (name, value)
    }

    /// The images that are shown, in their order; no field where there are none.
    static func images(_ images: [ImageID]) -> [FactField] {
        images.isEmpty ? [] : [FactField("images", .symbols(images.map(\.text)))]
    }
}
