"""Main effects of a search: what each value of an axis is worth, the others being equal.

A mean over all runs of a value would compare unlike with unlike as soon as the search has holes. So an axis is looked
at over matched architectures only: sets that differ in this axis alone, with a run for every value compared.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from daxlab.analysis.architectures import AXES, Axes, shared_seeds
from daxlab.analysis.choosing import filled, table
from daxlab.analysis.replicates import COLUMNS, entries

SCHEMA: dict[str, Any] = {"experiment": str, "axis": str, "value": str, "architectures": int, **COLUMNS}
SCHEMA |= {"means": list[float]}


def effects(frame: pl.DataFrame, experiment: str, axes: Axes) -> pl.DataFrame:
    """A row per axis and value compared: how many architectures, and their mean accuracy over replicates.

    A replicate of the search is one value: the mean over the matched architectures, a run that failed counting as the
    mean of its architecture's others. `means` has every matched architecture's own mean. A value is compared if it has
    at least half as many architectures as the axis's best-covered one, and an axis only if two values are.
    """
    rows = frame.filter((pl.col("experiment") == experiment) & (pl.col("runs") > 0))
    seeds = shared_seeds(rows["seeds"].to_list())
    rows = rows.filter(pl.col("seeds").list.set_intersection(seeds).list.len() > 0)
    values = filled(table(rows, seeds)) if rows.height else table(rows, seeds)
    place = {key: n for n, key in enumerate(rows.select(*AXES).iter_rows())}
    found = []
    for axis in AXES:
        for value, matched in _matched(place, list(AXES).index(axis), axes[axis]).items():
            own, by_seed = (values[matched].mean(axis=over).tolist() for over in (1, 0))
            what = {"experiment": experiment, "axis": axis, "value": written(value), "architectures": len(matched)}
            found.append({**what, **entries(by_seed), "means": own})
    return pl.DataFrame(found, SCHEMA, orient="row")


def _matched(place: Mapping[tuple[Any, ...], int], at: int, values: Sequence[Any]) -> dict[Any, list[int]]:
    """For each value of the axis at this position that is compared, its matched architectures, in one order."""
    rest = {value: {key[:at] + key[at + 1 :] for key in place if key[at] == value} for value in values}
    most = max(map(len, rest.values()), default=0)
    compared = [value for value in values if most and 2 * len(rest[value]) >= most]
    common = sorted(set.intersection(*(rest[value] for value in compared))) if len(compared) > 1 else []
    return {value: [place[(*key[:at], value, *key[at:])] for key in common] for value in compared if common}


def written(value: Any) -> str:
    """A value of an axis as a reader knows it."""
    if isinstance(value, bool):
        return "with" if value else "without"
    return value.upper() if isinstance(value, str) else f"{value:g}"
