#!/usr/bin/env python3
"""How a till's customers come back and fill their cards: counted from the file, sharing nothing with the service.

    visit_journeys.py FILE GOAL ZONE FROM TO [--idle DAYS] [--campaign FIRST LAST WEEKS]

FILE has the columns visited_at (RFC 3339) and customer; each row is one stamp, a card takes GOAL stamps. ZONE is an IANA name; FROM
and TO are dates, both included, and TO is today. The campaign is given by its first and last day. Prints JSON: days as numbers
since 1970-01-01. What each figure means stands in Sources/ReadModels/Journeys. No row of a till is ever taken back, so there is no card
whose stamps were all taken back, which the figures of abandoned cards would leave out.
"""
import argparse
import csv
import datetime
import json
import math
import sys
import zoneinfo

EPOCH = datetime.date(1970, 1, 1)
MICROSECOND = datetime.timedelta(microseconds=1)


def rows_by_customer(path):
    """The times of each customer's rows, in order."""
    rows = {}
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["customer"].strip():
                rows.setdefault(row["customer"], []).append(datetime.datetime.fromisoformat(row["visited_at"]))
    return {customer: sorted(times) for customer, times in rows.items()}


def number(date):
    return (date - EPOCH).days


def monday(date):
    return date - datetime.timedelta(days=date.weekday())


class Count:
    def __init__(self, options):
        self.zone = zoneinfo.ZoneInfo(options.zone)
        self.first, self.last = options.first, options.last
        self.goal, self.idle = options.goal, options.idle
        self.rows = rows_by_customer(options.file)
        # A visit is a quarter-hour with at least one row. Its date is the date of the quarter-hour's beginning.
        self.visits = {
            customer: [self.date(quarter * 900) for quarter in sorted({int(time.timestamp()) // 900 for time in times})]
            for customer, times in self.rows.items()}

    def date(self, seconds):
        return datetime.datetime.fromtimestamp(seconds, self.zone).date()

    def inside(self, date):
        return self.first <= date <= self.last

    def retention(self):
        within = {customer: [date for date in dates if self.inside(date)] for customer, dates in self.visits.items()}
        within = {customer: dates for customer, dates in within.items() if dates}
        cohorts = {}
        for customer in within:
            began = self.visits[customer][0]
            if self.inside(began) and monday(began) >= self.first:
                cohorts.setdefault(monday(began), []).append(customer)
        shown = []
        for week, members in sorted(cohorts.items()):
            weeks = [week + datetime.timedelta(days=7 * step) for step in range((monday(self.last) - week).days // 7 + 1)]
            shown.append([number(week), [sum(any(monday(day) == each for day in within[who]) for who in members) for each in weeks]])
        return {
            "visits": sum(map(len, within.values())), "customers": len(within),
            "returningCustomers": sum(len(set(dates)) > 1 for dates in within.values()), "cohorts": shown}

    def cards(self):
        """The rows of each card: every GOAL rows of a customer belong to one."""
        for times in self.rows.values():
            for start in range(0, len(times), self.goal):
                yield times[start:start + self.goal]

    def fill(self):
        full = [card for card in self.cards() if len(card) == self.goal and self.inside(self.date(card[-1].timestamp()))]
        times = sorted((card[-1] - card[0]) // MICROSECOND for card in full)
        bins = {}
        for time in times:
            days = min(time // 86_400_000_000, 365)
            bins[days] = bins.get(days, 0) + 1

        def quantile(share):
            return times[math.ceil(share * len(times) / 100) - 1] / 1_000_000 if times else None

        return {"cards": len(times), "median": quantile(50), "p90": quantile(90), "histogram": sorted(map(list, bins.items()))}

    def abandonment(self):
        opened = [card for card in self.cards() if self.inside(self.date(card[0].timestamp()))]
        partial = [card for card in opened if len(card) < self.goal]
        idle = [card for card in partial if (self.last - self.date(card[-1].timestamp())).days > self.idle]
        most = max([min(len(card), self.goal - 1) for card in opened], default=-1)
        steps = [[sum(len(card) >= count for card in opened), sum(len(card) == count for card in idle)] for count in range(most + 1)]
        return {"cards": len(opened), "full": len(opened) - len(partial), "steps": steps}

    def effect(self, begins, ends, weeks):
        day = datetime.timedelta(days=1)

        def split(first, last):
            last = min(last, self.last)
            while first <= last:
                yield first, min(first + 6 * day, last)
                first += 7 * day

        def figures(first, last):
            inside = {who: [date for date in dates if first <= date <= last] for who, dates in self.visits.items()}
            inside = {who: dates for who, dates in inside.items() if dates}
            new = sum(first <= self.visits[who][0] <= last for who in inside)
            return [number(first), (last - first).days + 1, sum(map(len, inside.values())), len(inside), new]

        phases = [(begins - 7 * weeks * day, begins - day), (begins, ends), (ends + day, ends + 7 * weeks * day)]
        return [[figures(*week) for week in split(*phase)] for phase in phases]


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    date = datetime.date.fromisoformat
    parser.add_argument("file")
    parser.add_argument("goal", type=int)
    parser.add_argument("zone")
    parser.add_argument("first", type=date, metavar="FROM")
    parser.add_argument("last", type=date, metavar="TO")
    parser.add_argument("--idle", type=int, default=60, metavar="DAYS")
    parser.add_argument("--campaign", nargs=3, metavar=("FIRST", "LAST", "WEEKS"))
    return parser.parse_args()


def main():
    options = parse()
    count = Count(options)
    found = {"retention": count.retention(), "fill": count.fill(), "abandonment": count.abandonment()}
    if options.campaign:
        first, last, weeks = options.campaign
        found["effect"] = count.effect(datetime.date.fromisoformat(first), datetime.date.fromisoformat(last), int(weeks))
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
