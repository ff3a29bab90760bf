import HTTPTypes

extension HTTPFields {
    /// The value of a field, as the subscript gives it.
    ///
    /// That one joins a list of values even where there is but one, and a request looks for half a dozen fields.
    func text(of name: HTTPField.Name) -> String? {
        var found: String?
        for field in self where field.name == name {
            if found != nil { return self[name] }
            found = field.value
        }
        return found
    }
}
