#!/usr/bin/env python3
"""What a shop's statistics must say of a till's visits: counted from the file, sharing nothing with the service.

    visit_statistics.py FILE GOAL ZONE FROM TO

FILE has the columns visited_at (RFC 3339) and customer; each visit is one code and one stamp, a card takes GOAL stamps and is
redeemed as soon as it is full. ZONE is an IANA name, FROM and TO are dates, both included. Prints JSON.
"""
import csv
import datetime
import json
import sys
import zoneinfo


def visits(path):
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["customer"].strip():
                yield datetime.datetime.fromisoformat(row["visited_at"]), row["customer"]


def main():
    path, goal, zone, first, last = sys.argv[1:6]
    goal, zone = int(goal), zoneinfo.ZoneInfo(zone)
    first, last = datetime.date.fromisoformat(first), datetime.date.fromisoformat(last)
    seen = {}  # customer: dates of all visits, in order
    for time, customer in sorted(visits(path), key=lambda visit: visit[0]):
        seen.setdefault(customer, []).append(time.astimezone(zone).date())

    span = (last - first).days + 1
    dates = [first + datetime.timedelta(days=number) for number in range(span)]
    days = {date: dict(stamps=0, newCards=0, redemptions=0, active=set()) for date in dates}
    for customer, dates_of in seen.items():
        for number, date in enumerate(dates_of):
            if date not in days:
                continue
            day = days[date]
            day["stamps"] += 1
            day["newCards"] += number % goal == 0
            day["redemptions"] += number % goal == goal - 1
            day["active"].add(customer)

    def monday(date):
        return date - datetime.timedelta(days=date.weekday())

    inside = {customer: {date for date in dates_of if first <= date <= last} for customer, dates_of in seen.items()}
    inside = {customer: dates_of for customer, dates_of in inside.items() if dates_of}
    cohorts = {}
    for customer in inside:
        week = monday(seen[customer][0])
        if week >= first:
            cohorts.setdefault(week, []).append(customer)

    def active(week, members):
        """The number of these customers who came in the week, and in each later week."""
        weeks = [week + datetime.timedelta(days=7 * number) for number in range((monday(last) - week).days // 7 + 1)]
        return [sum(any(monday(date) == each for date in inside[member]) for member in members) for each in weeks]

    json.dump(
        {
            "days": [[day["stamps"], day["newCards"], len(day["active"]), day["redemptions"]] for day in map(days.get, dates)],
            "activeCustomers": len(inside),
            "returningCustomers": sum(len(dates_of) > 1 for dates_of in inside.values()),
            "cohorts": [[(week - datetime.date(1970, 1, 1)).days, active(week, members)] for week, members in sorted(cohorts.items())],
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main()
