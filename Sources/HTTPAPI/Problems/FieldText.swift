import Loyalty
import WebPages

/// The reason why a field, parameter or header of a request is invalid.
enum RequestFault: Hashable, Sendable {
    case rule(FieldFault)
    case required
    case requiredForStampCard
    case requiredCurrentPassword
    case requiredForFirstPassword
    case requiredCurrentCode
    case codeOrPassword
    case badgePhoneOrPaper
    case customerOrPhone
    case malformedJSON
    case kind(JSONKind)
    case oneOf([String])
    case someOf([String])
    case wholeNumber(ClosedRange<Int>)
    case metres(ClosedRange<Int>)
    case stars(ClosedRange<Int>)
    case charactersAbove(Int)
    case pixels
    case position
    case form(TextForm)
    case beforeFrom
    case daysAfterFrom(max: Int)
    case future
    /// Too many cards in the period for one report.
    case reportTooLarge
    case needsNear
    case distanceNeedsNear
    /// No installed font has these characters.
    case unprintable(String)
    case header(String, ClosedRange<Int>)
    case headerPosition(String)
    case lastEventPosition
    case lastEventUnsent
}

enum JSONKind: Hashable, Sendable {
    case object
    case string
    case stringOrNull
    case strings
    case objects
    case number
    case integer
    case integerOrNull
    case flag
}

enum TextForm: Hashable, Sendable {
    case phone
    case region
    /// A number of a country to which text messages are sent.
    case servedPhone
    case time
    case date
    case birthday
    case timeZone
    case timeOfDay
    case coordinate
    case imageID
    case uploadedImage
    case campaignID
    case tag
    case eventType
    case cursor
    case cardEnding
    case typedCode
    case handle
}

struct FieldError: Hashable, Sendable {
    /// A JSON pointer without its first slash, or a parameter; empty for a header or the whole request.
    let field: String
    let fault: RequestFault
}

extension RequestFault {
    /// For developers. Programs compare the problem's code and the field's pointer.
    func text(in language: PageLanguage) -> String { language == .english ? texts.english : texts.chinese }

    fileprivate typealias Texts = (english: String, chinese: String)

    fileprivate var texts: Texts {
        switch self {
        case .rule(let fault): (fault.description, fault.chinese)
        case .required: ("is required", "必填")
        case .requiredForStampCard: ("is required for a stampCard", "stampCard 必填")
        case .requiredCurrentPassword: ("is required: the account has a password", "必填：此账号已设密码")
        case .requiredForFirstPassword: ("is required for the first password", "首次设置密码时必填")
        case .requiredCurrentCode:
            ("is required: this session did not begin by text message in the last ten minutes", "必填：本次登录并非十分钟内的短信登录")
        case .codeOrPassword: ("code or password must be given", "须提供 code 或 password")
        case .badgePhoneOrPaper: ("exactly one of badge, phone and paper must be given", "badge、phone 与 paper 须且只须提供一个")
        case .customerOrPhone: ("must be left out beside customer", "不可与 customer 同时使用")
        case .malformedJSON: ("must be well-formed JSON in UTF-8", "须为格式正确的 UTF-8 JSON")
        case .kind(let kind): kind.texts
        case .oneOf(let words): Self.oneOf(words)
        case .someOf(let words):
            (
                "must be some of \(words.joined(separator: ", ")), separated by commas",
                "须为 \(words.joined(separator: "、")) 中的若干项，以逗号分隔"
            )
        case .wholeNumber(let range):
            ("must be a whole number from \(range.lowerBound) to \(range.upperBound)", "须为 \(range.lowerBound) 至 \(range.upperBound) 的整数")
        case .metres(let range):
            ("must be \(range.lowerBound) to \(range.upperBound) metres", "须为 \(range.lowerBound) 至 \(range.upperBound) 米")
        case .stars(let range):
            ("must be \(range.lowerBound) to \(range.upperBound) stars", "须为 \(range.lowerBound) 至 \(range.upperBound) 星")
        case .charactersAbove(let most): ("must be at most \(most) characters", "不得超过 \(most) 个字符")
        case .pixels: ("must be a number of pixels", "须为像素数")
        case .position: ("must be a position", "须为位置编号")
        case .form(let form): form.texts
        case .beforeFrom: ("must not be before from", "不得早于 from")
        case .daysAfterFrom(let most): ("must be at most \(most) days from from", "距 from 不得超过 \(most) 天")
        case .future: ("must not be in the future", "不得晚于今天")
        case .reportTooLarge:
            (
                "must be a later day, as this time has more visits than one report may read; greentea-replay reports on any time of a shop",
                "须为更晚的日期，因为此时间段的到店记录超过一份报告的上限；greentea-replay 可为单店生成任意时间段的报告"
            )
        case .needsNear: ("needs near", "须与 near 一同使用")
        case .distanceNeedsNear: ("by distance needs near", "按距离排序须提供 near")
        case .unprintable(let characters):
            (
                "cannot be printed: no font has \(characters); take them out, or ask the operator",
                "含无法打印的文字：没有字体支持 \(characters)；请去掉，或联系运营方"
            )
        case .header(let name, let range):
            (
                "the \(name) header must be \(range.lowerBound) to \(range.upperBound) visible ASCII characters",
                "\(name) 标头须为 \(range.lowerBound) 至 \(range.upperBound) 个可见 ASCII 字符"
            )
        case .headerPosition(let name): ("the \(name) header must be a position", "\(name) 标头须为位置编号")
        case .lastEventPosition: ("the last event's id must be a position", "最后一个事件的编号须为位置编号")
        case .lastEventUnsent: ("the last event's id must be one that was sent", "最后一个事件的编号须为已发送过的")
        }
    }

    private static func oneOf(_ words: [String]) -> Texts {
        let (first, last) = (words.dropLast(), words.last ?? "")
        return ("must be \(first.joined(separator: ", ")) or \(last)", "须为 \(first.joined(separator: "、")) 或 \(last)")
    }
}

extension TextForm {
    fileprivate var texts: RequestFault.Texts {
        switch self {
        case .phone: (FieldFault.shopPhone.description, FieldFault.shopPhone.chinese)
        case .region: ("must be two letters of ISO 3166: CN", "须为 ISO 3166 的两位字母：CN")
        case .servedPhone: ("must be a number of a country that messages are sent to", "须为可发送短信的国家或地区的号码")
        case .time: ("must be a time of RFC 3339: 2026-01-31T09:00:00Z", "须为 RFC 3339 时间：2026-01-31T09:00:00Z")
        case .date: ("must be a date: 2026-11-21", "须为日期：2026-11-21")
        case .birthday: ("must be a day such as 2001-02-28, not before 1900", "须为日期，如 2001-02-28，且不早于 1900 年")
        case .timeOfDay: ("must be a time of day from 00:00 to 24:00", "须为 00:00 至 24:00 之间的时刻")
        case .timeZone: ("must be the IANA name of a time zone: Asia/Shanghai", "须为 IANA 时区名称：Asia/Shanghai")
        case .coordinate:
            (
                "must be a latitude within ±90 and a longitude within ±180, as 31.2304,121.4737",
                "须为 ±90 以内的纬度和 ±180 以内的经度，如 31.2304,121.4737"
            )
        case .imageID: ("must be the id of an image: img_…", "须为图片编号：img_…")
        case .uploadedImage: ("must be an image that was uploaded", "须为已上传的图片")
        case .campaignID: ("must be a campaign's id: camp_01…", "须为活动编号：camp_01…")
        case .tag:
            ("must be a kind and an id: card:card_01h455vb4pex5vsknk084sn02q", "须为类别和编号：card:card_01h455vb4pex5vsknk084sn02q")
        case .eventType: ("must be the name of an event type: CardStamped", "须为事件类型的名称：CardStamped")
        case .cardEnding: ("must be a card's id or its last six characters", "须为卡号或卡号的最后六位")
        case .typedCode: ("must be a code as shown, such as K7QF-2M9X", "须为所示的码，如 K7QF-2M9X")
        case .handle: ("must be a customer's handle, of 16 characters", "须为顾客代号，共 16 个字符")
        case .cursor: ("must be a cursor of this list", "须为此列表的游标")
        }
    }
}

extension JSONKind {
    fileprivate var texts: RequestFault.Texts {
        switch self {
        case .object: ("must be an object", "须为对象")
        case .string: ("must be a string", "须为字符串")
        case .stringOrNull: ("must be a string or null", "须为字符串或 null")
        case .strings: ("must be an array of strings", "须为字符串数组")
        case .objects: ("must be an array of objects", "须为对象数组")
        case .number: ("must be a number in range", "须为范围内的数字")
        case .integer: ("must be an integer in range", "须为范围内的整数")
        case .integerOrNull: ("must be an integer in range or null", "须为范围内的整数或 null")
        case .flag: ("must be true or false", "须为 true 或 false")
        }
    }
}

extension FieldFault {
    /// The fault's `description` is the English text.
    fileprivate var chinese: String {
        switch self {
        case .outside(let range): "须为 \(range.lowerBound) 至 \(range.upperBound)"
        case .above(let most): "不得超过 \(most)"
        case .aboveDailyCap(let most): "不得超过活动的每日上限 \(most)"
        case .characters(let range): "须为 \(range.lowerBound) 至 \(range.upperBound) 个字符"
        case .tooLong: "过长"
        case .controlCharacters(let exceptLines): exceptLines ? "除换行和制表符外不得含控制字符" : "不得含控制字符"
        case .noncharacters: "只能包含 Unicode 字符"
        case .directionControls: "不得含文字方向控制符"
        case .openDirection: "文字方向控制符须在同一行内成对关闭"
        case .nothingVisible: "须至少有一个可见的文字、数字或符号"
        case .shopPhone: "须为可能存在的电话号码，以 + 和国际区号开头，或同时提供 region"
        case .sealedBytes(let most): "加密后不得超过 \(most) 字节"
        case .sealedHash: "加密后的长度与密码摘要不符"
        case .taken: "须为没有账号使用的号码"
        case .notOnEarth: "纬度须在 ±90 度以内，经度须在 ±180 度以内"
        case .repeatedImage: "每张图片只能出现一次"
        case .staff(let most): "一家店铺最多 \(most) 名店员"
        case .hirings(let most): "一家店铺总共最多雇用 \(most) 次"
        case .transfers(let most): "一家店铺总共最多转让 \(most) 次"
        case .openingHours: "须指明星期，以及 00:00 至 24:00 之间两个不同的时刻"
        case .overlappingHours: "不得相互重叠"
        case .noStaffRole: "只能是 counter 或 manager；店主身份须转让"
        case .pastTime: "须晚于现在"
        case .yearsAhead(let most): "不得晚于 \(most) 年之后"
        case .daysAhead(let most): "不得晚于 \(most) 天之后"
        case .yearsAfterStart(let most): "不得晚于 startsAt 之后 \(most) 年"
        case .yearsBeforeEnd(let most): "不得早于 endsAt 之前 \(most) 年"
        case .notAfterStart: "须晚于 startsAt"
        case .notBeforeEnd: "须早于 endsAt"
        case .ended: "不能更改：活动已结束"
        case .openCampaigns(let most): "一家店铺最多有 \(most) 个进行中或将开始的活动，请先结束一个"
        case .reopened(let most): "不能更改：一家店铺最多有 \(most) 个进行中或将开始的活动"
        case .campaigns(let most): "一家店铺总共最多 \(most) 个活动"
        case .onlyStampCards: "须省略：只有 stampCard 可以设置"
        case .onlyCards: "须省略：只有 stampCard 或 coupon 可以设置"
        case .sharedShops(let most): "最多 \(most) 家"
        case .repeatedShop: "每家店铺只能出现一次"
        case .strangeShop: "须为同一店主的店铺，且您是每一家的店长"
        case .closedShop: "不能包含已关闭的店铺"
        case .suspendedShop: "不能包含已暂停的店铺"
        case .severalShops: "必填：您在该活动的多家店铺工作"
        case .otherCampaignShop: "须为该活动的店铺之一"
        case .notBelowGoal: "须小于 goal"
        case .beforeEnd: "不得早于 endsAt"
        case .yearsAfterEnd(let most): "不得晚于 endsAt 之后 \(most) 年"
        case .bonuses(let most): "最多 \(most) 项"
        case .bonusDays: "每项须至少有一天"
        case .bonusTimes: "每项的 from 与 to 须不同"
        case .bonusFactor(let range): "每项的 factor 须为 \(range.lowerBound) 至 \(range.upperBound)"
        case .overlappingBonuses: "各项时段不得重叠"
        case .notAscending: "须多于前一阶段的印章数"
        case .noMilestone: "须为此卡的阶段之一"
        case .zeroOrOutside(let range): "须为 \(range.lowerBound) 至 \(range.upperBound)，且不为 0"
        case .redeemedCard: "须为集点中或已集满的卡：此卡已兑换，请先撤销兑换"
        case .discardedCard: "须为集点中或已集满的卡：此卡已丢弃"
        case .expiredCard: "须为集点中或已集满的卡：此卡已过期"
        case .beyondLeft(let left): "最多为 \(left)：可撤销的点数只剩这些"
        case .partOnPaper: "不可填写：未领取的纸质卡上的点数须整笔撤销，之后可重新盖点"
        case .stampsLeft(let range): "调整后须为 \(range.lowerBound) 至 \(range.upperBound) 点"
        case .otherCardCollects: "须从持卡人正在集点的卡上扣除"
        case .savedSearches(let most): "一个账号最多保存 \(most) 个搜索，请先删除一个"
        case .ratingOrText: "须提供 rating 或 text"
        case .replyDepth(let most): "回复最多 \(most) 层"
        case .spentToken: "须与已用的令牌不同"
        }
    }
}
