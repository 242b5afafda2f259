"""Numbers in words, units and days: what differs by one of them is another fact.

Words for numbers have the key of their figures, units one key for all their spellings.
"""

from __future__ import annotations

import re
from typing import Final

_FIGURES: Final = """
0 zero|1 one|2 two zwei deux dos due twee два две дві|3 three drei trois tres três drie три
4 four vier quatre cuatro quatro quattro четыре чотири|5 five fünf cinq cinco cinque пять
6 six sechs seis zes шесть|7 seven sieben sept siete sete sette семь|8 eight acht huit ocho oito
9 nine neun neuf nueve nove девять|10 ten zehn dix diez dez dieci десять|11 eleven|12 twelve zwölf
13 thirteen|14 fourteen|15 fifteen quinze quince|16 sixteen|17 seventeen|18 eighteen|19 nineteen
20 twenty zwanzig vingt veinte vinte venti двадцать|30 thirty dreißig trente treinta trinta тридцать
40 forty|50 fifty|60 sixty|70 seventy|80 eighty|90 ninety|100 hundred hundert cent cien cem сто
1000 thousand tausend mille mil тысяча|1000000 million|1st first|2nd second|3rd third|4th fourth
5th fifth|last|half|double|triple|single|twice|thrice|dozen|doppelt
"""
_UNITS: Final = """
ms millisecond milliseconds|us microsecond microseconds µs|ns nanosecond nanoseconds
s sec secs second seconds sekunde sekunden seconde secondes segundo segundos секунд секунды
min mins minute minutes minuten minuto minutos минут минуты
h hr hrs hour hours stunde stunden heure heures hora horas час часа часов
d day days tag tage tagen jour jours día días dia dias день дня дней
week weeks woche wochen semaine semaines semana semanas неделя недели недель
month months monat monate monaten mois mes meses месяц месяца месяцев
year years jahr jahre jahren an ans año años ano anos год года лет
b byte bytes|bit bits|kb kilobyte kilobytes|mb megabyte megabytes|gb gigabyte gigabytes
tb terabyte terabytes|kib|mib|gib|tib|% percent pct prozent pourcent|px pixel pixels|rem|em|pt
hz|khz|mhz|ghz|mm|cm|m metre metres meter meters|km|g gram grams|kg kilogram kilograms|mg|k|am|pm
usd dollar dollars|eur euro euros|cent cents|core cores|gbit|mbit|rps|qps
"""
_CALENDAR: Final = """
monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays
fridays saturdays sundays january february april june july august september october november
december weekday weekdays weekend weekends daily weekly hourly monthly yearly quarterly nightly
annually montag dienstag mittwoch donnerstag freitag samstag sonntag montags dienstags mittwochs
donnerstags freitags samstags sonntags januar februar märz mai juni juli oktober dezember täglich
wöchentlich lundi mardi mercredi jeudi vendredi samedi dimanche janvier février mars avril juin
juillet août septembre octobre novembre décembre lunes martes miércoles jueves viernes sábado
domingo enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
понедельник вторник среда среду четверг пятница пятницу суббота субботу воскресенье
"""


def _keys(rows: str) -> dict[str, str]:
    """Each word of a row → the first one."""
    groups = [row.split() for row in rows.strip().replace("\n", "|").split("|")]
    return {word: group[0] for group in groups for word in group}


FIGURES: Final = _keys(_FIGURES)
"""A word for a number → its figures."""

UNITS: Final = _keys(_UNITS)
"""A spelling of a unit → the unit. A unit is one only behind a number, `every`, `each` or `per`."""

CALENDAR: Final = frozenset(_CALENDAR.split())
"""Days, months and rhythms."""

BEFORE_UNITS: Final = frozenset({"every", "each", "per", "jede", "jeden", "chaque", "cada", "ogni"})

BEFORE_ORDINALS: Final = frozenset({"the", "a", "its", "their", "this", "that", "every", "each"})

_GROUPED: Final = re.compile(r"\d{1,3}(?:,\d{3})+|\d{1,3}(?:_\d{3})+")
_MEASURED: Final = re.compile(r"([+-]?\d[\d.,_]*)-?([^\W\d_]+|%)")
_VERSION: Final = re.compile(r"v(\d[\d.]*)")


def number_key(caseless: str) -> str:
    """One spelling of a number: 1000 for 1,000 and 1_000, 3.11 for v3.11; else the text."""
    if _GROUPED.fullmatch(caseless):
        return caseless.replace(",", "").replace("_", "")
    version = _VERSION.fullmatch(caseless)
    return version.group(1) if version else caseless


def measured(caseless: str) -> tuple[str, str] | None:
    """A number and its unit that stand together, `30s`, `15-minute` and `50%`; else None."""
    match = _MEASURED.fullmatch(caseless)
    if match is None or match.group(2) not in UNITS:
        return None
    return match.group(1), match.group(2)
