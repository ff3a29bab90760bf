"""Tests of the demo town: python3 -m unittest in this folder."""

import unittest
from datetime import datetime, timedelta, timezone

import demo_town

DAYS = [datetime(2026, 11, 25, 9, tzinfo=timezone.utc) + timedelta(days=day) for day in range(0, 200, 7)]


class TownTests(unittest.TestCase):
    def test_a_day_has_the_same_visits_whenever_it_is_asked_for(self):
        today, tomorrow = (demo_town.visits(DAYS[0] + timedelta(days=day)) for day in (0, 1))
        shared = [row for row in today if row[0] >= tomorrow[0][0] + timedelta(days=200)]
        self.assertGreater(len(shared), 100)
        self.assertLessEqual(set(map(str, shared)), set(map(str, tomorrow)))

    def test_the_announcement_runs_and_has_something_to_show(self):
        for now in DAYS:
            start, end = demo_town.tasting(now)
            self.assertLess(start, now - timedelta(days=demo_town.TASTING_SEEN - 1))
            self.assertGreater(end, now + timedelta(days=7))
            self.assertEqual(start, demo_town.tasting(now + timedelta(hours=1))[0])

    def test_more_people_come_in_these_weeks_than_before(self):
        now = DAYS[0]
        start, _ = demo_town.tasting(now)
        visits = [moment for moment, _, shop in demo_town.visits(now) if shop is demo_town.SHOPS[0]]
        during = sum(start <= each < start + timedelta(days=demo_town.TASTING_SEEN) for each in visits)
        before = sum(start - timedelta(days=demo_town.TASTING_SEEN) <= each < start for each in visits)
        self.assertGreater(during, before * 1.15, f"{before} before, {during} during")


if __name__ == "__main__":
    unittest.main()
