"""The content of a demo town: shops, a year of visits, people who review, and pictures drawn here.

Everything depends on the calendar alone: a day has the same visits in every run. So a run on an existing or unfinished town adds only what
is missing, and a town made tomorrow has one day more.
"""

import math
import random
import struct
import zlib
from datetime import datetime, timedelta, timezone

CUSTOMER, OWNER, OPERATOR = "+8613800000101", "+8613800000102", "+8613800000103"
# The first word of every imported shop's name, until the shops are renamed.
IMPORT_NAME = "Demo"
GOAL = 8
DAYS = 365
SEED = "greentea demo"
# Pairs of a cumulative percentage of customers and a number of visits: 30 % of the customers make one visit, the next 20 % make two, and so
# on.
LOYALTY = ((30, 1), (50, 2), (68, 4), (82, 8), (93, 16), (100, 45))
# Four times a year, the first shop has tasting weeks, in which more customers come, and return sooner. The weeks are computed from the
# calendar, so that they are the same in every run. The numbers are the days between two beginnings, the days of the tasting weeks, the
# factor for new customers, and the factor for the time between visits.
TASTING_EVERY, TASTING_DAYS, TASTING_FACTOR, TASTING_PACE = 91, 45, 1.9, 0.65
# The days for which the tasting weeks are announced (`TASTING_RUNS`), and the minimum number of days since their beginning
# (`TASTING_SEEN`). So the announcement still runs and already has figures.
TASTING_SEEN, TASTING_RUNS = 14, 150


class DemoShop:
    """One shop of the town."""

    def __init__(self, key, name, address, phone, latitude, longitude, newcomers, title, reward, color):
        self.key, self.name, self.address, self.phone = key, name, address, phone
        self.latitude, self.longitude, self.newcomers = latitude, longitude, newcomers
        self.title, self.reward, self.color = title, reward, color

    @property
    def imported_name(self):
        return f"{IMPORT_NAME} {self.key}"


SHOPS = [
    DemoShop("Hill", "山间茶铺 Hillside Tea", "12 Tea Mountain Road · 茶山路 12 号", "021-5555 0112", 31.2304, 121.4737, 1.6,
             "Eight cups, the next is free", "One tea of your choice", (46, 106, 72)),
    DemoShop("River", "河畔奶茶 Riverside Milk Tea", "3 River Street · 河畔街 3 号", "021-5555 0103", 31.2397, 121.4998, 1.1,
             "Eight milk teas, the next is free", "One large milk tea", (176, 120, 74)),
    DemoShop("Cloud", "云朵甜品 Cloud Desserts", "88 Garden Lane · 花园弄 88 号", "021-5555 0188", 31.2243, 121.4452, 0.7,
             "Eight desserts, the next is free", "One mango pudding", (122, 100, 160)),
]

REVIEWS = [
    ("+8613800000111", "Mei", 0, 5, "Best oolong in town. The stamps never get lost any more."),
    ("+8613800000112", "老王", 0, 5, "茶好，人也好。每天早上都来。"),
    ("+8613800000113", "Ana", 1, 4, "Lovely pearls. A little slow at noon."),
    ("+8613800000114", "小雨", 1, 5, "芋泥奶茶太好喝了！"),
    ("+8613800000115", "Jonas", 2, 3, "Good pudding, but they were out of mango."),
]
ANSWERS = {0: "Thank you, see you tomorrow!", 4: "Sorry! There is more mango from now on."}


def is_tasting(day):
    return day % TASTING_EVERY < TASTING_DAYS


def tasting(now=None):
    """The start of the newest tasting weeks whose effect can be seen, and the end of their announcement."""
    last = (now or datetime.now(timezone.utc)).toordinal() - TASTING_SEEN
    # The start is midnight in Shanghai, whose time is 8 hours ahead of UTC.
    start = datetime.fromordinal(last - last % TASTING_EVERY).replace(tzinfo=timezone.utc) - timedelta(hours=8)
    return start, start + timedelta(days=TASTING_RUNS)


def visits(until=None):
    """All visits of the year before a moment, as rows of a till: time, shop and customer."""
    until = until or datetime.now(timezone.utc)
    last = until.toordinal()
    rows = []
    for day in range(last - DAYS, last + 1):
        for shop in SHOPS:
            chance = random.Random(f"{SEED} {day} {shop.key}")
            # More customers come in warm months and at weekends.
            season = 1 + 0.35 * math.sin(2 * math.pi * (datetime.fromordinal(day).timetuple().tm_yday - 110) / 365)
            season *= TASTING_FACTOR if shop is SHOPS[0] and is_tasting(day) else 1
            expected = shop.newcomers * season * (1.4 if datetime.fromordinal(day).weekday() >= 5 else 0.9)
            for number in range(int(expected) + (chance.random() < expected % 1)):
                rows += customer_visits(shop, day, number)
    rows = [row for row in rows if row[0] <= until]
    return sorted(rows, key=lambda row: (row[0], row[1]))


def customer_visits(shop, first, number):
    """All visits that one customer ever makes."""
    name = f"{shop.key}-{first}-{number}"
    chance = random.Random(f"{SEED} {name}")
    luck = chance.randrange(100)
    count = next(visits for share, visits in LOYALTY if luck < share)
    rhythm = chance.uniform(3, 16)
    day, rows = float(first), []
    for _ in range(count):
        # Visits are between nine in the morning and nine in the evening in Shanghai.
        moment = datetime.fromordinal(int(day)).replace(tzinfo=timezone.utc)
        moment += timedelta(hours=1 + chance.triangular(0, 12, 6), seconds=chance.randrange(60))
        rows.append((moment.replace(microsecond=0), name, shop))
        pace = TASTING_PACE if shop is SHOPS[0] and is_tasting(int(day)) else 1
        day += max(1, chance.gauss(rhythm, rhythm / 3) * pace)
    return rows


def history(until=None):
    """The visits as a till's file."""
    lines = ["visited_at,customer,shop,latitude,longitude"]
    for moment, customer, shop in visits(until):
        lines.append(f"{moment:%Y-%m-%dT%H:%M:%SZ},{customer},{shop.key},{shop.latitude},{shop.longitude}")
    return "\n".join(lines) + "\n"


# MARK: Pictures

WIDTH, HEIGHT = 640, 480


def picture(color):
    """A picture of a cup in front of a hill, as PNG."""
    return png([[pixel(x, y, color) for x in range(WIDTH)] for y in range(HEIGHT)])


def pixel(x, y, color):
    red, green, blue = color
    shine = y / HEIGHT
    sky = tuple(int(245 - (245 - part) * 0.35 * shine) for part in color)
    hill = HEIGHT * 0.72 - 60 * math.sin(x / 190) - 25 * math.sin(x / 70 + 1)
    ground = (int(red * 0.55), int(green * 0.62 + 20), int(blue * 0.55))
    # The cup is a trapezium with a lid, a straw, and pearls at its bottom.
    middle, top, bottom = WIDTH / 2, 150, 400
    if abs(x - middle - 26 + (y - 60) * 0.12) < 7 and 60 <= y < top:
        return color
    if 132 <= y < 152 and abs(x - middle) < 104:
        return (250, 250, 246)
    half = 94 - 26 * (y - top) / (bottom - top)
    if top <= y < bottom and abs(x - middle) < half:
        if abs(x - middle) > half - 5:
            return (250, 250, 246)
        if y > 335 and ((x - middle) % 30 - 15) ** 2 + ((y - 335) % 26 - 13) ** 2 < 92:
            return (54, 36, 30)
        return tuple(int(part + (236 - part) * (0.55 - 0.35 * (y - top) / (bottom - top))) for part in color)
    return ground if y > hill else sky


def png(rows):
    """Rows of red, green and blue bytes as a PNG file (RFC 2083)."""
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    raw = b"".join(b"\0" + bytes(part for each in row for part in each) for row in rows)
    head = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(raw, 6)) + chunk(b"IEND", b"")
