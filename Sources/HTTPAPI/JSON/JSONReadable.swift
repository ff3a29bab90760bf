/// A request's body: something that is read from the fields of one JSON object.
protocol JSONReadable {
    /// Reads every field, whatever is wrong with those before it: `fields` keeps all complaints.
    init(_ fields: inout FieldReader)
}
