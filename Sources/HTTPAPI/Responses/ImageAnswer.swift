import Images

/// A picture that was taken in.
struct ImageAnswer: JSONWritable {
    let image: StoredImage
    /// Where anyone can see it.
    let url: String

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("id", image.id)
            $0.field("url", url)
            $0.field("width", image.width)
            $0.field("height", image.height)
        }
    }
}
