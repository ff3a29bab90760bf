/// A complaint in two languages, with holes for what differs from case to case: `#` in English, in order; `#1`, `#2`… in Chinese.
struct FieldPhrase {
    let literals: [Substring]
    private let translation: String

    init(_ english: String, _ chinese: String) {
        literals = english.split(separator: "#", omittingEmptySubsequences: false)
        translation = chinese
    }

    /// The values of the placeholders; nil if the complaint does not match.
    func values(in complaint: String) -> [Substring]? {
        guard complaint.hasPrefix(literals[0]) else { return nil }
        var rest = complaint.dropFirst(literals[0].count)
        var values: [Substring] = []
        for (index, literal) in literals.enumerated().dropFirst() {
            // The last one ends the complaint; the others end the hole at once.
            let isLast = index == literals.count - 1
            guard let found = isLast ? Self.end(literal, of: rest) : rest.firstRange(of: literal), found.lowerBound > rest.startIndex else {
                return nil
            }
            values.append(rest[..<found.lowerBound])
            rest = rest[found.upperBound...]
        }
        return rest.isEmpty ? values : nil
    }

    func chinese(with values: [Substring]) -> String {
        values.enumerated().reduce(translation) { $0.replacing("#\($1.offset + 1)", with: $1.element) }
    }

    private static func end(_ literal: Substring, of text: Substring) -> Range<Substring.Index>? {
        guard text.hasSuffix(literal) else { return nil }
        return text.index(text.endIndex, offsetBy: -literal.count)..<text.endIndex
    }
}

/// The fault of one field, in the client's language.
///
/// The layers below complain in English, each where it knows the rule. This is the only place that knows other languages. A test compares
/// every complaint that any test causes with the phrases.
struct FieldText {
    let text: String

    init(_ complaint: String, in language: Language) {
        switch language {
        case .english: text = complaint
        // A complaint without a translation is shown in English.
        case .chinese: text = Self.chinese(complaint) ?? complaint
        }
    }

    /// The complaint in Chinese; nil where no phrase fits it.
    static func chinese(_ complaint: String) -> String? {
        for phrase in FieldPhrase.all {
            if let values = phrase.values(in: complaint) { return phrase.chinese(with: values) }
        }
        return nil
    }
}

extension FieldPhrase {
    /// Every known complaint. The first match is taken, so a longer one comes before its prefix.
    static let all: [FieldPhrase] = forms + numbers + texts + choices + places + campaigns + cards + requests

    private static let forms: [FieldPhrase] = [
        .init("is required", "必填"),
        .init("is required for a #", "#1 必填"),
        .init("is required: the account has a password", "必填：此账号已设密码"),
        .init("is required for the first password", "首次设置密码时必填"),
        .init("must be a number of a country that messages are sent to", "须为可发送短信的国家或地区的号码"),
        .init("is too long", "过长"),
        .init("must be an object", "须为对象"),
        .init("must be a string", "须为字符串"),
        .init("must be a string or null", "须为字符串或 null"),
        .init("must be an array of strings", "须为字符串数组"),
        .init("must be a number in range", "须为范围内的数字"),
        .init("must be an integer in range", "须为范围内的整数"),
        .init("must be an integer in range or null", "须为范围内的整数或 null"),
        .init("must be true or false", "须为 true 或 false"),
        .init("must be well-formed JSON in UTF-8", "须为格式正确的 UTF-8 JSON"),
        .init("code or password must be given", "须提供 code 或 password"),
        .init("rating or text must be given", "须提供 rating 或 text"),
    ]

    private static let numbers: [FieldPhrase] = [
        .init("must be # to # characters", "须为 #1 至 #2 个字符"),
        .init("must be at most # characters", "不得超过 #1 个字符"),
        .init("must be # to # metres", "须为 #1 至 #2 米"),
        .init("must be # to # of digits, +, -, spaces and parentheses, with a digit", "须为 #1 至 #2 个数字、+、-、空格或括号，且至少含一个数字"),
        .init("must be a whole number from # to #", "须为 #1 至 #2 的整数"),
        .init("must be # to # and not 0", "须为 #1 至 #2，且不为 0"),
        .init("replies are at most # deep", "回复最多 #1 层"),
        .init("must be at most # days from from", "距 from 不得超过 #1 天"),
        .init("must be at most # years ahead", "不得晚于 #1 年之后"),
        .init("must be at most # years after startsAt", "不得晚于 startsAt 之后 #1 年"),
        .init("must be at most # years before endsAt", "不得早于 endsAt 之前 #1 年"),
        .init("must be at most #, the campaign's cap a day", "不得超过活动的每日上限 #1"),
        .init("must be one of at most # of a shop's staff", "一家店铺最多 #1 名店员"),
        .init("must be a number of pixels", "须为像素数"),
        .init("must be a position", "须为位置编号"),
    ]

    private static let texts: [FieldPhrase] = [
        .init("must have no control characters", "不得含控制字符"),
        .init("must have no control characters except line ends and tabs", "除换行和制表符外不得含控制字符"),
        .init("must have at least one visible character", "须至少有一个可见字符"),
        .init("must have only characters of Unicode", "只能包含 Unicode 字符"),
        .init("must have no controls of writing direction", "不得含文字方向控制符"),
        .init("must close each control of writing direction on its line", "文字方向控制符须在同一行内成对关闭"),
        .init("must seal to at most # bytes", "加密后不得超过 #1 字节"),
        .init("must be a number in E.164 form: #", "须为 E.164 格式的号码：#1"),
    ]

    private static let choices: [FieldPhrase] = [
        .init("must be stampCard or promotion", "须为 stampCard 或 promotion"),
        .init("must be distance, newest or popular", "须为 distance、newest 或 popular"),
        .init("must be female, male or other", "须为 female、male 或 other"),
        .init("must be all or shop", "须为 all 或 shop"),
        .init(
            "must be some of collecting, full, redeemed, discarded, separated by commas",
            "须为 collecting、full、redeemed、discarded 中的若干项，以逗号分隔"),
        .init("must be a cursor of this list", "须为此列表的游标"),
        .init("must be an image that was uploaded", "须为已上传的图片"),
        .init("must have each image once", "每张图片只能出现一次"),
        .init("must be the id of an image: #", "须为图片编号：#1"),
        .init("must be a campaign's id: #", "须为活动编号：#1"),
        .init("must be a kind and an id: #", "须为类别和编号：#1"),
        .init("must be the name of an event type: #", "须为事件类型的名称：#1"),
        .init("must be the IANA name of a time zone: #", "须为 IANA 时区名称：#1"),
    ]

    private static let places: [FieldPhrase] = [
        .init("must be a latitude within ±90 and a longitude within ±180 degrees", "纬度须在 ±90 度以内，经度须在 ±180 度以内"),
        .init("must be a latitude within ±90 and a longitude within ±180, as #", "须为 ±90 以内的纬度和 ±180 以内的经度，如 #1"),
        .init("needs near", "须与 near 一同使用"),
        .init("by distance needs near", "按距离排序须提供 near"),
    ]

    private static let campaigns: [FieldPhrase] = [
        .init("must be a time of RFC 3339: #", "须为 RFC 3339 时间：#1"),
        .init("must be a date: #", "须为日期：#1"),
        .init("must be a day such as #, not before #", "须为日期，如 #1，且不早于 #2 年"),
        .init("must not be before from", "不得早于 from"),
        .init("must not be in the future", "不得晚于今天"),
        .init("must be in the future", "须晚于现在"),
        .init("must be after startsAt", "须晚于 startsAt"),
        .init("must be before endsAt", "须早于 endsAt"),
        .init("must stay: the campaign was ended", "不能更改：活动已结束"),
        .init("must stay: at most # campaigns of a shop may run or be about to", "不能更改：一家店铺最多有 #1 个进行中或将开始的活动"),
        .init("at most # campaigns of a shop may run or be about to; end one first", "一家店铺最多有 #1 个进行中或将开始的活动，请先结束一个"),
        .init("a shop can have # campaigns in all", "一家店铺总共最多 #1 个活动"),
    ]

    private static let cards: [FieldPhrase] = [
        .init(
            "must be of a card that collects or is full: this one is redeemed; reverse that first",
            "须为集点中或已集满的卡：此卡已兑换，请先撤销兑换"),
        .init("must be of a card that collects or is full: this one is discarded", "须为集点中或已集满的卡：此卡已丢弃"),
        .init("must leave the card with # to # stamps", "调整后须为 #1 至 #2 点"),
        .init("must be taken off the card on which the holder collects now", "须从持卡人正在集点的卡上扣除"),
    ]

    private static let requests: [FieldPhrase] = [
        .init("the # header must be # to # visible ASCII characters", "#1 标头须为 #2 至 #3 个可见 ASCII 字符"),
        .init("the # header must be a position", "#1 标头须为位置编号"),
        .init("the last event's id must be a position", "最后一个事件的编号须为位置编号"),
        .init("the last event's id must be one that was sent", "最后一个事件的编号须为已发送过的"),
        .init("must differ from the token that is spent", "须与已用的令牌不同"),
        // Behind all that begin like it.
        .init("must be at most #", "不得超过 #1"),
        .init("must be # to #", "须为 #1 至 #2"),
    ]
}
