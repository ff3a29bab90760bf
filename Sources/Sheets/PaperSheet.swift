/// Paper cards of one campaign, to be cut along marks. A card has the size of a bank card (ISO/IEC 7810, ID-1).
public struct PaperSheet: Sendable {
    /// The code of one card.
    public struct Card: Sendable {
        /// As people type it.
        public let text: String
        /// Modules on one side of the QR code, without its white border.
        public let width: Int
        /// Row by row; true is dark.
        public let modules: [Bool]

        public init(text: String, width: Int, modules: [Bool]) { (self.text, self.width, self.modules) = (text, width, modules) }
    }

    static let columns = 2

    private let shop: String
    private let campaign: String
    private let reward: String
    private let goal: Int
    private let lastDay: String?
    private let created: String
    private let paper: PaperSize
    private let color: [UInt8]?

    /// - Parameters:
    ///   - goal: the boxes on a card, 1 to 50.
    ///   - lastDay: such as `2026-12-31`; nil to print none.
    ///   - created: in the form of RFC 3339, in whole seconds, because a PDF stores no fractions.
    ///   - color: red, green and blue of the shop's name and of a band above it; nil for a black name without a band.
    public init(
        shop: String, campaign: String, reward: String, goal: Int, lastDay: String?, created: String, color: [UInt8]? = nil,
        paper: PaperSize = .a4
    ) {
        (self.shop, self.campaign, self.reward) = (shop, campaign, reward)
        (self.goal, self.lastDay, self.created, self.color) = (goal, lastDay, created, color)
        self.paper = paper
    }

    /// The PDF, with the same bytes for the same fonts and versions of Cairo and Pango.
    ///
    /// - Parameter cards: drawn one after another, and not kept in memory.
    /// - Returns: nil after an error of Cairo or Pango, such as a lack of memory.
    public func pdf(_ cards: some Sequence<Card>) -> [UInt8]? {
        guard let canvas = Canvas(width: paper.size.width, height: paper.size.height, title: campaign, created: created),
            let texts = Texts(self, on: canvas)
        else { return nil }
        var place = 0
        for card in cards {
            if place == 0 { drawCutMarks(on: canvas) }
            guard draw(card, texts, at: place, on: canvas) else { return nil }
            place += 1
            if place == paper.cardsPerPage {
                canvas.endPage()
                place = 0
            }
        }
        if place > 0 { canvas.endPage() }
        return canvas.finish()
    }

    /// In points.
    private enum Layout {
        static let cardWidth = 242.65
        static let cardHeight = 153.01
        /// Between a card's edge and its text.
        static let margin = 10.0
        static let bandHeight = 5.0
        static let markLength = 14.0
        static let markGap = 4.0
        static let codeSide = 82.0
        static let textWidth = cardWidth - codeSide - 3 * margin
        static let boxesTop = 76.0
        static let boxSideMax = 24.0
        static let boxGap = 3.0
    }

    private var left: Double { (paper.size.width - Double(Self.columns) * Layout.cardWidth) / 2 }
    private var top: Double { (paper.size.height - Double(paper.rows) * Layout.cardHeight) / 2 }

    /// The texts of all cards, laid out once.
    private struct Texts {
        let shop, campaign, reward, use: Canvas.Line
        let lastDay: Canvas.Line?

        init?(_ sheet: PaperSheet, on canvas: Canvas) {
            func line(_ text: String, _ style: String, lines: Int = 1) -> Canvas.Line? {
                canvas.line(text, font: PaperSheet.families + style, width: Layout.textWidth, lines: lines)
            }
            // English alone if no font has the Chinese words.
            func words(_ chinese: String, _ english: String, size: Int, width: Double, isCentered: Bool = false) -> Canvas.Line? {
                let font = PaperSheet.families + "\(size)"
                let both = canvas.line(chinese + english, font: font, width: width, isCentered: isCentered)
                return both?.isWhole == false ? canvas.line(english, font: font, width: width, isCentered: isCentered) : both
            }
            guard let shop = line(sheet.shop, "Bold 14"), let campaign = line(sheet.campaign, "11", lines: 2),
                let reward = line(sheet.reward, "10"),
                let use = words("付款时出示，扫码存入手机 · ", PaperSheet.use, size: 6, width: Layout.cardWidth - 2 * Layout.margin)
            else { return nil }
            (self.shop, self.campaign, self.reward, self.use) = (shop, campaign, reward, use)
            guard let day = sheet.lastDay else {
                lastDay = nil
                return
            }
            guard let until = words("至 ", "until " + day, size: 7, width: Layout.codeSide + Layout.margin, isCentered: true)
            else { return nil }
            lastDay = until
        }
    }

    private static let use = "Show when paying, scan to keep on a phone"

    /// Two of Debian's fonts with Chinese characters, then any without serifs.
    private static let families = "Noto Sans CJK SC, WenQuanYi Micro Hei, sans-serif "

    private func draw(_ card: Card, _ texts: Texts, at place: Int, on canvas: Canvas) -> Bool {
        let x = left + Double(place % Self.columns) * Layout.cardWidth
        let y = top + Double(place / Self.columns) * Layout.cardHeight
        var below = y + Layout.margin
        if color != nil {
            canvas.inColor(color) {
                canvas.add(x: x, y: y, width: Layout.cardWidth, height: Layout.bandHeight)
                canvas.fill()
            }
        }
        canvas.inColor(color) { canvas.draw(texts.shop, x: x + Layout.margin, y: below) }
        below += texts.shop.height + 1
        for line in [texts.campaign, texts.reward] {
            canvas.draw(line, x: x + Layout.margin, y: below)
            below += line.height + 1
        }
        let useTop = y + Layout.cardHeight - Layout.margin / 2 - texts.use.height
        canvas.draw(texts.use, x: x + Layout.margin, y: useTop)
        drawBoxes(x: x + Layout.margin, y: max(below + 4, y + Layout.boxesTop), bottom: useTop - Layout.boxGap, on: canvas)
        let codeLeft = x + Layout.cardWidth - Layout.margin - Layout.codeSide
        drawModules(of: card, x: codeLeft, y: y + Layout.margin, on: canvas)
        // Two lines of eight symbols with hyphens, large enough for the counter.
        let half = card.text.index(card.text.startIndex, offsetBy: (card.text.count + 1) / 2)
        let code = card.text[..<half] + "\n" + card.text[half...]
        guard let text = canvas.line(String(code), font: "monospace 11", width: Layout.codeSide + Layout.margin, isCentered: true)
        else { return false }
        let codeTop = y + Layout.margin + Layout.codeSide + 4
        canvas.draw(text, x: codeLeft - Layout.margin / 2, y: codeTop)
        if let lastDay = texts.lastDay { canvas.draw(lastDay, x: codeLeft - Layout.margin / 2, y: codeTop + text.height + 1) }
        return true
    }

    /// Rows of at most ten boxes, as large as the space permits, at most `boxSideMax`.
    private func drawBoxes(x: Double, y: Double, bottom: Double, on canvas: Canvas) {
        let columns = goal <= 5 ? goal : goal <= 10 ? 5 : 10
        guard columns > 0 else { return }
        let rows = (goal + columns - 1) / columns
        let across = (Layout.textWidth + Layout.boxGap) / Double(columns)
        let down = (bottom - y + Layout.boxGap) / Double(rows)
        let step = min(across, down, Layout.boxSideMax + Layout.boxGap)
        for box in 0..<goal {
            canvas.add(
                x: x + Double(box % columns) * step, y: y + Double(box / columns) * step, width: step - Layout.boxGap,
                height: step - Layout.boxGap)
        }
        canvas.stroke(width: 0.6)
    }

    /// Draws each run of dark modules as one rectangle. The white paper around is the border that scanners need.
    private func drawModules(of card: Card, x: Double, y: Double, on canvas: Canvas) {
        let side = Layout.codeSide / Double(max(card.width, 1))
        for row in 0..<card.width {
            var column = 0
            while column < card.width {
                let start = column
                while column < card.width, card.modules[row * card.width + column] { column += 1 }
                if column > start {
                    canvas.add(x: x + Double(start) * side, y: y + Double(row) * side, width: Double(column - start) * side, height: side)
                }
                column += 1
            }
        }
        canvas.fill()
    }

    private func drawCutMarks(on canvas: Canvas) {
        let right = left + Double(Self.columns) * Layout.cardWidth
        let bottom = top + Double(paper.rows) * Layout.cardHeight
        let (near, far) = (Layout.markGap, Layout.markGap + Layout.markLength)
        for column in 0...Self.columns {
            let x = left + Double(column) * Layout.cardWidth
            canvas.add(from: (x, top - far), to: (x, top - near))
            canvas.add(from: (x, bottom + near), to: (x, bottom + far))
        }
        for row in 0...paper.rows {
            let y = top + Double(row) * Layout.cardHeight
            canvas.add(from: (left - far, y), to: (left - near, y))
            canvas.add(from: (right + near, y), to: (right + far, y))
        }
        canvas.stroke(width: 0.4)
    }
}

extension PaperSheet {
    /// Every card's Latin characters, and some that few Chinese names lack.
    private static let ordinary = use + "until 0123456789 ABCDEFGHIJKLMNOPQRSTUVWXYZ-" + "的一是有大小中国茶饮咖啡奶杯送赠满"

    /// Ordinary characters that no font has. Looked up once, because a process only uses fonts installed before its first text.
    public static let missingFromFonts = missing(from: [ordinary])

    /// Characters that no font has, each once, in the shop's name and in the other texts; boxes would be printed.
    public func missingCharacters() -> (shop: [Character], campaign: [Character]) {
        (Self.missing(from: [shop]), Self.missing(from: [campaign, reward, Self.use]))
    }

    private static func missing(from texts: [String]) -> [Character] {
        guard let canvas = Canvas(width: 1, height: 1, title: "", created: "") else { return [] }
        func isWhole(_ text: String) -> Bool {
            canvas.line(text, font: families + "10", width: Layout.textWidth, lines: linesMax)?.isWhole ?? true
        }
        var seen: Set<Character> = []
        return texts.filter { !isWhole($0) }.joined().filter { seen.insert($0).inserted && !isWhole(String($0)) }
    }

    /// More than any text has, so that text behind an ellipsis is laid out too.
    private static let linesMax = 1_000
}
