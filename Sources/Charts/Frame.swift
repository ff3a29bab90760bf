/// The part of a picture that axes enclose.
struct Frame {
    let left = 72.0
    let top = 48.0
    let width: Double
    let height: Double
    let picture: (width: Double, height: Double)

    /// - Parameter picture: width and height in all.
    init(_ width: Double, _ height: Double, right: Double = 24, bottom: Double = 56) {
        picture = (width, height)
        (self.width, self.height) = (width - left - right, height - top - bottom)
    }

    var bottom: Double { top + height }
    var right: Double { left + width }

    func x(_ place: Double) -> Double { left + place * width }
    func y(_ place: Double) -> Double { bottom - place * height }

    /// The picture with its title, what its axes are called, and the vertical axis.
    func begin(_ labels: ChartLabels, _ scale: Scale, _ format: ValueFormat) -> SVGText {
        var svg = SVGText(width: picture.width, height: picture.height, labels)
        svg.words(labels.title, x: left, y: 26, size: 16, bold: true)
        for tick in scale.ticks {
            let y = y(scale.place(tick))
            svg.line(x1: left, y1: y, x2: right, y2: y, stroke: ChartColors.grid)
            svg.words(format.text(tick), x: left - 8, y: y + 4, anchor: "end")
        }
        svg.words(labels.x, x: left + width / 2, y: picture.height - 12, anchor: "middle")
        svg.words(labels.y, x: 16, y: top + height / 2, anchor: "middle", turned: true)
        return svg
    }

    /// Names of several series with their colours; one alone needs no name beside the title.
    func legend(_ names: [String], _ svg: inout SVGText) {
        guard names.count > 1 else { return }
        for (number, name) in names.enumerated() {
            let y = top + 6 + 18 * Double(number)
            svg.rectangle(x: right - 14, y: y - 9, width: 10, height: 10, fill: ChartColors.line(number))
            svg.words(name, x: right - 20, y: y, anchor: "end")
        }
    }
}
