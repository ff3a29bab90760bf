"""The published transactions of CDNOW as a till's visits, and what pandas and lifetimes make of them.

    python cohorts_pandas.py VISITS EXPECTED

Runs in a Python that has pandas and lifetimes. Writes the transactions of lifetimes' CDNOW_sample.txt (2,357 customers who first
bought in early 1997) as VISITS, a CSV that `greentea import` reads, each at noon UTC of its day; and what they amount to as EXPECTED,
computed by pandas from the raw file and by lifetimes. Weeks begin on Monday.
"""
import json
import os
import sys

import lifetimes
import pandas
from lifetimes.utils import summary_data_from_transaction_data

DATA = os.path.join(os.path.dirname(lifetimes.__file__), "datasets")
# The last day of the 39 weeks that cdnow_customers_summary.csv covers. That file is part of the package lifetimes, and summarizes the
# customers of CDNOW_sample.txt.
CALIBRATED_TO = "1997-09-30"


def transactions():
    table = pandas.read_csv(
        os.path.join(DATA, "CDNOW_sample.txt"), sep=r"\s+", header=None, names=["customer", "sample", "date", "discs", "dollars"],
        dtype={"customer": str, "date": str})
    table["date"] = pandas.to_datetime(table["date"], format="%Y%m%d")
    return table


def monday(dates):
    return dates - pandas.to_timedelta(dates.dt.weekday, unit="D")


def cohorts(table):
    """For each Monday, the new customers of that week, and the active ones in each week up to the last one of the data."""
    table = table.assign(week=monday(table["date"]))
    table["cohort"] = table.groupby("customer")["week"].transform("min")
    table["age"] = (table["week"] - table["cohort"]).dt.days // 7
    active = table.groupby(["cohort", "age"])["customer"].nunique()
    last = table["week"].max()
    found = []
    for cohort in sorted(table["cohort"].unique()):
        weeks = range((last - cohort).days // 7 + 1)
        found.append({"week": str(cohort.date()), "active": [int(active.get((cohort, age), 0)) for age in weeks]})
    return found


def figures(table):
    days = table.groupby("customer")["date"].nunique()
    return {"visits": int(days.sum()), "customers": len(days), "returningCustomers": int((days > 1).sum()),
            "repeatVisitRate": float((days > 1).mean())}


def by_lifetimes(table, to=None):
    """Frequency is the number of days with a purchase after the first one."""
    summary = summary_data_from_transaction_data(table, "customer", "date", observation_period_end=to)
    return {"visits": int(summary["frequency"].sum()) + len(summary), "customers": len(summary),
            "returningCustomers": int((summary["frequency"] > 0).sum())}


def published():
    """The summary of the first 39 weeks that comes with lifetimes, which others made from the same customers."""
    summary = pandas.read_csv(os.path.join(DATA, "cdnow_customers_summary.csv"))
    return {"visits": int(summary["frequency"].sum()) + len(summary), "customers": len(summary),
            "returningCustomers": int((summary["frequency"] > 0).sum())}


def main():
    visits, expected = sys.argv[1:3]
    table = transactions()
    rows = table.sort_values("date", kind="stable")
    with open(visits, "w", encoding="utf-8") as file:
        file.write("visited_at,customer\n")
        for date, customer in zip(rows["date"], rows["customer"]):
            file.write(f"{date.date()}T12:00:00Z,{customer}\n")
    found = {
        "transactions": len(table), "cohorts": cohorts(table), "pandas": figures(table), "lifetimes": by_lifetimes(table),
        "calibratedTo": CALIBRATED_TO, "lifetimesCalibrated": by_lifetimes(table[table["date"] <= CALIBRATED_TO], CALIBRATED_TO),
        "published": published()}
    with open(expected, "w", encoding="utf-8") as file:
        json.dump(found, file)


if __name__ == "__main__":
    main()
