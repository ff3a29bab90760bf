import Loyalty
import LoyaltyCodec

/// Fields of an object: a name and its value in one call.
extension JSONWriter {
    mutating func field(_ name: String, _ text: String) {
        self.name(name)
        value(text)
    }

    mutating func field(_ name: String, _ text: String?) {
        self.name(name)
        if let text { value(text) } else { null() }
    }

    mutating func field(_ name: String, _ number: some BinaryInteger) {
        self.name(name)
        value(number)
    }

    mutating func field(_ name: String, _ number: Int?) {
        self.name(name)
        if let number { value(number) } else { null() }
    }

    mutating func field(_ name: String, _ number: Double?) {
        self.name(name)
        if let number { value(number) } else { null() }
    }

    mutating func field(_ name: String, _ flag: Bool) {
        self.name(name)
        value(flag)
    }

    mutating func field<Noun: Identified>(_ name: String, _ id: ID<Noun>) {
        self.name(name)
        value(id)
    }

    mutating func field<Noun: Identified>(_ name: String, _ id: ID<Noun>?) {
        self.name(name)
        if let id { value(id) } else { null() }
    }

    mutating func field(_ name: String, _ time: Instant) {
        self.name(name)
        value(time)
    }

    mutating func field(_ name: String, written json: JSONWriter) {
        self.name(name)
        value(written: json)
    }

    mutating func field(_ name: String, _ content: some JSONWritable) {
        self.name(name)
        content.write(to: &self)
    }

    mutating func null(_ name: String) {
        self.name(name)
        null()
    }

    mutating func emptyArray(_ name: String) {
        array(name, EmptyCollection<String>()) { $0.value($1) }
    }

    mutating func object(_ name: String, _ fields: (inout JSONWriter) -> Void) {
        self.name(name)
        object(fields)
    }

    mutating func array<Element>(_ name: String, _ elements: some Sequence<Element>, _ write: (inout JSONWriter, Element) -> Void) {
        self.name(name)
        array(elements, write)
    }

    mutating func array(_ name: String, _ elements: some Sequence<some JSONWritable>) {
        self.name(name)
        array(elements) { json, element in element.write(to: &json) }
    }
}
