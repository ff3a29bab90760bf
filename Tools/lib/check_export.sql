-- Cards and ratings computed from `events` alone: a second implementation of the service's models, in another language and manner.
-- A line `-- == TABLE: COLUMNS` before each statement names the exported table and the columns that must be equal. Later statements find
-- its result as `sql_TABLE`.

-- == card_history: card, position, time, kind, stamps, milestone
WITH changed AS (
    -- A card that somebody takes over has the event's stamps from then on; any other event adds or takes off some.
    SELECT card, position,
        coalesce(CAST(payload ->> 'stamps' AS BIGINT), 0) * CASE WHEN type = 'StampReversed' THEN -1 ELSE 1 END AS stamps,
        sum(CASE WHEN type = 'WaitingCardTaken' THEN 1 ELSE 0 END) OVER (PARTITION BY card ORDER BY position) AS part
    FROM events WHERE type IN ('CardStamped', 'CardAdjusted', 'StampReversed', 'WaitingCardTaken')
), running AS (
    SELECT card, position, sum(stamps) OVER (PARTITION BY card, part ORDER BY position) AS stamps FROM changed
), steps AS (
    SELECT card, position, stamps - lag(stamps, 1, 0) OVER (PARTITION BY card ORDER BY position) AS step FROM running
)
SELECT
    card, position, time,
    CASE type
        WHEN 'CardOpened' THEN 'opened'
        WHEN 'CardStamped' THEN 'stamped'
        WHEN 'CardAdjusted' THEN 'adjusted'
        WHEN 'StampReversed' THEN 'stampReversed'
        WHEN 'WaitingCardTaken' THEN 'taken'
        WHEN 'CardDiscarded' THEN 'discarded'
        WHEN 'RedemptionRequested' THEN 'redemptionRequested'
        WHEN 'CardRedeemed' THEN 'redeemed'
        WHEN 'RedemptionReversed' THEN 'reversed'
        WHEN 'CardExpired' THEN 'expired'
        WHEN 'CardReminded' THEN 'reminded'
        WHEN 'MilestoneRequested' THEN 'milestoneRequested'
        WHEN 'MilestoneRedeemed' THEN 'milestoneRedeemed'
        WHEN 'MilestoneReversed' THEN 'milestoneReversed'
    END AS kind,
    coalesce(step, 0) AS stamps, CAST(payload ->> 'milestone' AS BIGINT) AS milestone
FROM events LEFT JOIN steps USING (card, position)
WHERE card IS NOT NULL;

-- == cards: card, campaign, shop, holder, goal, reward, stamps, state, redeemed, opened_at, redemption, milestones, milestones_redeemed, version
WITH opened AS (
    -- A card belongs to the shop of its campaign, wherever it was opened.
    SELECT card, campaign, coalesce(home, shop) AS shop, account AS opener, CAST(payload ->> 'goal' AS BIGINT) AS goal,
        payload ->> 'reward' AS reward, time AS opened_at, array_to_string(CAST(payload -> 'milestones' AS VARCHAR[]), ';') AS milestones
    FROM events WHERE type = 'CardOpened'
), collected AS (
    SELECT card, sum(stamps) AS stamps FROM sql_card_history GROUP BY card
), taken AS (
    SELECT card, arg_max(account, position) AS taker FROM events WHERE type = 'WaitingCardTaken' GROUP BY card
), ended AS (
    -- The last event that ends a card or reverses its end.
    SELECT card, arg_max(type, position) AS type
    FROM events
    WHERE type IN ('CardRedeemed', 'CardDiscarded', 'CardExpired', 'RedemptionReversed')
        OR (type = 'WaitingCardTaken' AND coalesce(CAST(payload ->> 'stamps' AS BIGINT), 0) = 0)
    GROUP BY card
), handed AS (
    -- The last event that hands out the card's reward or takes it back. The holder may discard a card whose reward was handed out.
    SELECT card, arg_max(type, position) AS type
    FROM events WHERE type IN ('CardRedeemed', 'RedemptionReversed') GROUP BY card
), asked AS (
    SELECT card, arg_max(redemption, position) AS redemption
    FROM events WHERE type IN ('RedemptionRequested', 'MilestoneRequested') GROUP BY card
), given AS (
    -- The last event that hands out a milestone's reward or reverses that.
    SELECT card, CAST(payload ->> 'milestone' AS BIGINT) AS milestone, arg_max(type, position) AS type
    FROM events WHERE type IN ('MilestoneRedeemed', 'MilestoneReversed') GROUP BY ALL
), rewarded AS (
    SELECT card, string_agg(CAST(milestone AS VARCHAR), ';' ORDER BY milestone) AS milestones_redeemed
    FROM given WHERE type = 'MilestoneRedeemed' GROUP BY card
), newest AS (
    SELECT card, max(position) AS version FROM events WHERE card IS NOT NULL GROUP BY card
)
SELECT
    opened.card, campaign, shop, coalesce(taker, opener) AS holder, goal, reward, coalesce(stamps, 0) AS stamps,
    CASE
        WHEN ended.type = 'CardRedeemed' THEN 'redeemed'
        WHEN ended.type IN ('CardDiscarded', 'WaitingCardTaken') THEN 'discarded'
        WHEN ended.type = 'CardExpired' THEN 'expired'
        WHEN coalesce(stamps, 0) >= goal THEN 'full'
        ELSE 'collecting'
    END AS state,
    coalesce(handed.type = 'CardRedeemed', false) AS redeemed, opened_at, redemption, milestones, milestones_redeemed, version
FROM opened
LEFT JOIN collected USING (card)
LEFT JOIN taken USING (card)
LEFT JOIN ended USING (card)
LEFT JOIN handed USING (card)
LEFT JOIN asked USING (card)
LEFT JOIN rewarded USING (card)
LEFT JOIN newest USING (card);

-- == ratings: shop, count, sum, average, stars_1, stars_2, stars_3, stars_4, stars_5
WITH given AS (
    SELECT shop, account, position, CAST(payload ->> 'rating' AS BIGINT) AS rating
    FROM events
    WHERE type = 'ReviewPosted' AND payload ->> 'rating' IS NOT NULL
        AND review NOT IN (SELECT review FROM events WHERE type = 'ReviewRemoved')
), latest AS (
    SELECT shop, account, arg_max(rating, position) AS rating FROM given GROUP BY shop, account
)
SELECT
    shop, count(*) AS count, sum(rating) AS sum, avg(rating) AS average,
    count(*) FILTER (rating = 1) AS stars_1, count(*) FILTER (rating = 2) AS stars_2, count(*) FILTER (rating = 3) AS stars_3,
    count(*) FILTER (rating = 4) AS stars_4, count(*) FILTER (rating = 5) AS stars_5
FROM latest
GROUP BY shop;

-- == statistics_firsts: shop, account, quarter
WITH active AS (
    SELECT shop, account, time_bucket(INTERVAL 15 MINUTE, time, TIMESTAMP '1970-01-01') AS quarter
    FROM events
    WHERE type IN ('CardOpened', 'CardStamped', 'CardRedeemed', 'MilestoneRedeemed')
)
SELECT shop, account, min(quarter) AS quarter FROM active GROUP BY shop, account;
