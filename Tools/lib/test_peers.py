"""Tests of what `Tools/peers` computes and prints: `python3 -m unittest discover Tools/lib`."""

import unittest

import peers_disk
import peers_table
import peers_work


class ShapeTests(unittest.TestCase):
    def test_a_shape_is_writers_and_events(self):
        shape = peers_work.Shape("64x512")
        self.assertEqual((shape.writers, shape.events, str(shape)), (64, 512, "64x512"))

    def test_what_is_no_shape_is_refused(self):
        for text in ("", "64", "64x", "x64", "0x1", "1x0", "-1x1", "axb", "1x1x1"):
            with self.subTest(text), self.assertRaises(ValueError):
                peers_work.Shape(text)


class LoadTests(unittest.TestCase):
    def test_percentiles_are_times_that_occurred(self):
        load = peers_work.Load(range(100, 0, -1), [60, 40], 2)
        self.assertEqual((load.percentile(0), load.percentile(0.5), load.percentile(0.99), load.percentile(1)), (1, 51, 100, 100))

    def test_the_rate_of_events_is_that_of_appends_times_their_events(self):
        load = peers_work.Load([10] * 50, [50], 2)
        figures = peers_work.figures_of_appends(load, peers_work.Shape("1x64"))
        self.assertEqual((figures["events"], figures["stored"]), (50 / 2 * 64, 50 * 64))


class TagTests(unittest.TestCase):
    def test_no_two_appends_have_the_same_tag(self):
        tags = {peers_work.tag(lane, number) for lane in range(64) for number in range(200)}
        self.assertEqual(len(tags), 64 * 200)

    def test_there_are_as_many_shops_as_promised(self):
        shops = {peers_work.shop(lane, number) for lane in range(64) for number in range(2_000)}
        self.assertEqual(len(shops), peers_work.SHOPS)


class TableTests(unittest.TestCase):
    def setUp(self):
        self.table = peers_table.Table()
        for events in (300, 100, 200):
            self.table.add("log", "1x1", {"events": events, "p50 of an append": 1_500, "p99 of an append": 20})
        self.table.add("UmaDB", "1x1", {"events": 50})

    def test_a_row_is_the_median_with_its_ratio(self):
        row = self.table.rows()[0]
        self.assertEqual((row["median"], row["figures"], row["toUmaDB"]), (200, [300, 100, 200], 4))
        self.assertNotIn("toRaw", row)

    def test_a_line_shows_median_spread_times_and_ratio(self):
        lines = self.table.text([peers_work.Shape("1x1")]).splitlines()
        line = next(line for line in lines if line.startswith("  log"))
        self.assertEqual(line.split(), ["log", "200", "100", "300", "1.5", "ms", "20", "µs", "4.00"])

    def test_what_was_not_measured_has_no_line(self):
        self.assertEqual(self.table.text([peers_work.Shape("64x64")]), "")


class WordsTests(unittest.TestCase):
    def test_times_have_the_unit_that_keeps_them_short(self):
        for microseconds, text in ((7.4, "7 µs"), (999, "999 µs"), (1_000, "1.0 ms"), (31_940, "31.9 ms"), (1_276_000, "1.28 s")):
            with self.subTest(text):
                self.assertEqual(peers_table.time(microseconds), text)


class DiskTests(unittest.TestCase):
    def test_every_flush_is_timed_and_the_file_is_gone(self):
        with peers_work.TemporaryFolder() as folder:
            self.assertEqual(peers_disk.flush_times(folder).count, peers_disk.COUNT)
            with self.assertRaises(FileNotFoundError):
                open(f"{folder}/flushes").close()

    def test_the_innermost_file_system_counts(self):
        self.assertEqual(peers_disk.file_system("/proc/self"), "proc")


if __name__ == "__main__":
    unittest.main()
