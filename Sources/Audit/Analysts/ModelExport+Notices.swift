internal import Loyalty
internal import ReadModels

extension ModelExport {
    /// Notices, who gets them and who has read them.
    static let notices: [ModelExport] = [posted, audiences, members, noticeHolders, reads, mutes]

    private static let posted = ModelExport(
        Notices.name, "notices", as: "notices", "A notice.",
        [
            AnalystColumn("notice", .text, "Its id."), AnalystColumn("shop", .text, "The shop whose customers get it; none for everybody."),
            AnalystColumn("author", .text, "Who posted it."), AnalystColumn("posted_at", .time, "When it was posted."),
            AnalystColumn("position", .integer, "Where in the log it was posted."),
            AnalystColumn("sealed_title", .text, "Its title as base64, under the author's key."),
            AnalystColumn("sealed_text", .text, "Its text as base64, under the author's key."),
        ]
    ) { (row) throws(AuditError) in
        let notice = try row.decoded { NoticeRow.decode($0, id: NoticeID(row.id())) }
        return [
            [
                .id(notice.id), .id(notice.audience.shop), .id(notice.author), .time(notice.at), .position(notice.position),
                .sealed(notice.title), .sealed(notice.text),
            ]
        ]
    }

    private static let audiences = ModelExport(
        Notices.name, "audiences", as: "notice_audiences", "A notice to an audience, in the order of the log.",
        [
            AnalystColumn("shop", .text, "The shop whose customers got it; none for everybody."),
            AnalystColumn("position", .integer, "Where it was posted."), AnalystColumn("notice", .text, "The notice's id."),
            AnalystColumn("number", .integer, "Its number among those to this audience, from 1."),
        ]
    ) { row in
        let shop: AnalystValue = row.id() == 0 ? .none : .id(ShopID(row.id()))
        return [[shop, .position(row.number(at: 16)), .id(NoticeID(row.valueID())), .position(row.valueNumber(at: 16))]]
    }

    private static let members = ModelExport(
        Notices.name, "members", as: "notice_members", "An account that gets notices.",
        [
            AnalystColumn("account", .text, "The account."), AnalystColumn("position", .integer, "Where it registered."),
            AnalystColumn("read", .integer, "Notices that it has said it has read."),
        ]
    ) { (row) throws(AuditError) in
        let member = try row.decoded { NoticeMember($0) }
        return [[.id(AccountID(row.id())), .position(member.since), .position(member.reads)]]
    }

    private static let noticeHolders = ModelExport(
        Notices.name, "holders", as: "notice_holders", "A shop whose notices an account gets.",
        [
            AnalystColumn("account", .text, "The account."), AnalystColumn("shop", .text, "The shop."),
            AnalystColumn("position", .integer, "Where its first card there was opened."),
        ]
    ) { row in
        [[.id(AccountID(row.id())), .id(ShopID(row.id(at: 16))), .position(row.valueNumber())]]
    }

    private static let mutes = ModelExport(
        Notices.name, "mutes", as: "notice_mutes", "A stretch of the log in which an account wanted no notices of a shop.",
        [
            AnalystColumn("account", .text, "The account."), AnalystColumn("shop", .text, "The shop."),
            AnalystColumn("from_position", .integer, "Where the shop was muted."),
            AnalystColumn("to_position", .integer, "Where that ended; none as long as it lasts."),
        ]
    ) { (row) throws(AuditError) in
        let stretches = try row.decoded { MuteRow.decode($0) }.stretches
        return stretches.map { stretch in
            [
                .id(AccountID(row.id())), .id(ShopID(row.id(at: 16))), .position(stretch.after),
                stretch.before == .max ? .none : .position(stretch.before),
            ]
        }
    }

    private static let reads = ModelExport(
        Notices.name, "reads", as: "notice_reads", "A notice that somebody has read.",
        [
            AnalystColumn("account", .text, "Who read it."), AnalystColumn("notice", .text, "The notice."),
            AnalystColumn("position", .integer, "Where in the log it was read first."),
        ]
    ) { row in
        [[.id(AccountID(row.id())), .id(NoticeID(row.id(at: 16))), .position(row.valueNumber())]]
    }
}
