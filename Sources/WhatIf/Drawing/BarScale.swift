/// An axis for whole numbers: from 0, or below it where a value is, in steps of 1, 2 or 5 times a power of ten.
struct BarScale {
    private static let stepsMax = 6

    let lower: Int
    let upper: Int
    let step: Int

    init(_ values: [Int]) {
        let (least, most) = (min(0, values.min() ?? 0), max(1, values.max() ?? 1))
        var step = 1
        for power in sequence(first: 1, next: { $0 <= Int.max / 100 ? $0 * 10 : nil }) {
            guard let fitting = [1, 2, 5].map({ $0 * power }).first(where: { (most - least) / $0 < Self.stepsMax }) else { continue }
            step = fitting
            break
        }
        self.step = step
        lower = least < 0 ? -((-least + step - 1) / step) * step : 0
        upper = (most + step - 1) / step * step
    }

    var ticks: [Int] { Array(stride(from: lower, through: upper, by: step)) }
}
