#!/usr/bin/env python3
"""The findings that a shop's digest must have in a till's visits: counted from the file, sharing nothing with the service.

    visit_digest.py FILE NOW ZONE FROM-TO...

FILE has the columns visited_at (RFC 3339), customer and item. Rows from NOW on do not count. Each row is one code and one stamp, given by
the member of staff named like the item, who also shows a code that nobody uses; a card takes 5 stamps, ends 60 days after it was opened,
and is redeemed as soon as it is full if the customer's number is even. Every fiftieth row, in the order of time and counted from 0, was
taken back, and every third by "Latte".
ZONE is an IANA name; the shop is open each day in the hours FROM to TO. Prints JSON: a finding or null for each kind.
"""
import collections
import csv
import datetime
import fractions
import json
import math
import sys
import zoneinfo

GOAL, CASES = 5, 30
DAY = datetime.timedelta(days=1)


class Count:
    def __init__(self, path, now, zone, hours):
        self.now, self.zone = datetime.datetime.fromisoformat(now), zoneinfo.ZoneInfo(zone)
        self.today = self.now.astimezone(self.zone).date()
        self.hours = [hour for first, last in (span.split("-") for span in hours) for hour in range(int(first), int(last))]
        with open(path, newline="", encoding="utf-8") as file:
            rows = [(datetime.datetime.fromisoformat(row["visited_at"]), row["customer"], row["item"])
                    for row in csv.DictReader(file) if row["customer"].strip()]
        self.rows = sorted((row for row in rows if row[0] < self.now), key=lambda row: row[0])
        seen = collections.defaultdict(list)
        for time, customer, _ in self.rows:
            seen[customer].append(time)
        self.cards = [(int(customer[-1]) % 2 == 0, times[start:start + GOAL])
                      for customer, times in seen.items() for start in range(0, len(times), GOAL)]

    def age(self, time):
        return (self.today - time.astimezone(self.zone).date()).days

    def ending(self):
        ends = [card[0] + 60 * DAY for is_even, card in self.cards if len(card) < GOAL or not is_even]
        return enough(sum(self.now < end <= self.now + 14 * DAY for end in ends))

    def waiting(self):
        filled = [card[-1] for is_even, card in self.cards if len(card) == GOAL and not is_even]
        return enough(sum(14 * DAY <= self.now - time <= 365 * DAY for time in filled))

    def left(self):
        old = [card for _, card in self.cards if 61 <= self.age(card[0]) < 61 + 365]
        steps = [(count, sum(min(len(card), GOAL - 1) >= count for card in old),
                  sum(len(card) == count and self.age(card[-1]) > 60 for card in old)) for count in range(GOAL)]
        fit = [step for step in steps if step[1] >= CASES and step[2] * 10 >= step[1]]
        return list(max(fit, key=lambda step: step[2])) if fit else None

    def quiet(self):
        quarters = {(customer, int(time.timestamp()) // 900) for time, customer, _ in self.rows if 1 <= self.age(time) <= 28}
        starts = [datetime.datetime.fromtimestamp(quarter * 900, self.zone).hour for _, quarter in quarters]
        visits = {hour: starts.count(hour) for hour in self.hours}
        found = []
        for hour, own in visits.items():
            expected = fractions.Fraction(sum(visits.values()) - own, len(visits) - 1)
            if expected >= CASES and 2 * own <= expected:
                found.append((own / expected, hour, own, float(expected)))
        return list(min(found)[1:]) if found else None

    def reversals(self):
        given, back = collections.Counter(), collections.Counter()
        stamps = collections.Counter()
        for number, (time, customer, item) in enumerate(self.rows):
            stamps[customer] += 1
            if self.age(time) > 28:
                continue
            given[item] += 1 + (stamps[customer] % GOAL == 0 and int(customer[-1]) % 2 == 0)
            back[item] += number % 50 == 0 or (item == "Latte" and number % 3 == 0)
        total, marked = sum(given.values()) + sum(back.values()), sum(back.values())
        drawn = {item: given[item] + back[item] for item in given}
        compared = [item for item in given if max(given[item], back[item]) >= CASES
                    and max(sum(given.values()) - given[item], marked - back[item]) >= CASES]
        found = []
        for item in compared:
            ways = sum(math.comb(marked, hit) * math.comb(total - marked, drawn[item] - hit)
                       for hit in range(back[item], min(marked, drawn[item]) + 1))
            chance = fractions.Fraction(ways, math.comb(total, drawn[item]))
            if chance * len(compared) <= fractions.Fraction(1, 100):
                found.append((chance, item))
        if not found:
            return None
        item = min(found)[1]
        return {"member": item, "given": given[item], "reversed": back[item], "compared": len(compared)}


def enough(cases):
    return cases if cases >= CASES else None


def main():
    path, now, zone, *hours = sys.argv[1:]
    count = Count(path, now, zone, hours)
    json.dump({"ending": count.ending(), "waiting": count.waiting(), "left": count.left(), "quiet": count.quiet(),
               "reversals": count.reversals()}, sys.stdout)


if __name__ == "__main__":
    main()
