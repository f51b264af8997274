"""Sentences about a search over architectures, never ahead of its numbers: paper/search.py has those."""

from collections.abc import Mapping
from typing import Any

from daxlab.report.text import counted, listed, measured, number, percent

Found = Mapping[str, Any]
AGAIN = """\
again: what such a choice is worth. The best by all replicates but one, scored on the one left out, each in turn; the
mean and the range. It need not be the network of its line that is chosen. The best of many is partly the luckiest, and
here its luck is left out; but so few choices tell it only roughly.
By rank: in each replicate architectures are ranked on each experiment (1 is best, equals share the mean of their
places), and the mean over the four counts. Of an architecture those replicates count that have all four; in the
ranks of others a run that is not there stands as the mean of its architecture's others."""


def complete(experiment: str, found: Found, of: int) -> str:
    """How much of the search an experiment has."""
    some, by_runs, sizes = found["architectures"], found["by_runs"], found["by_hidden"]
    have = f"{f'all {of}' if some == of else f'{some} of {of}'} architectures have"
    if len(by_runs) == 1:
        parts = [f"{have} {counted(next(iter(by_runs)), 'run')}"]
    else:
        runs = (f"{counted(count, 'has', 'have')} {number(many)}" for many, count in by_runs.items())
        parts = [f"{have} runs: {listed(list(runs))}"]
    each = of // len(sizes)
    few = [f"{n or 'none'} of the {each} with {size} units" for size, n in sizes.items() if n < each]
    parts += [listed(few)] if 0 < len(few) < len(sizes) else []
    parts += [f"{counted(found['failed'], 'run')} failed"] if found["failed"] else []
    return f"On *{experiment}*, {'; '.join(parts)}."


def completeness(found: Mapping[str, Found], of: int) -> str:
    """How much of the search there is, on all experiments in one sentence where they are alike."""
    if len(found) > 1 and all(one["architectures"] == of for one in found.values()):
        runs = sum(runs * count for one in found.values() for runs, count in one["by_runs"].items())
        failed = sum(one["failed"] for one in found.values())
        more = f"; {counted(failed, 'more run')} failed" if failed else ""
        return f"All {of} architectures have runs on {number(len(found))} experiments, {runs:,} in all{more}."
    return " ".join(complete(name, one, of) for name, one in found.items())


def regressing(found: Found, unit: str = "%") -> str:
    """What the best of many is worth when it is measured again."""
    if found["again"] is None:
        return "There is but one replicate, so how much of this is luck cannot be told."
    return (
        f"The best by all replicates but one has {percent(found['again'])}{unit} on the one left out, on average "
        f"({spread(found)}, {counted(len(found['scores']), 'such choice')})."
    )


def spread(found: Found) -> str:
    """From the least to the greatest score of a choice."""
    return f"{min(found['scores']):.2f} to {max(found['scores']):.2f}"


def chosen(paper: Found, of: int) -> str:
    """Where the paper's choice stands here."""
    said = f"The paper chose {paper['network']}, with {paper['stated']:g}%"
    if not paper["here"]:
        return f"{said}, which has no runs on this split here."
    here = paper["here"]
    place = "the best here too" if here["place"] == 1 else f"here number {here['place']} of {of}"
    return f"{said}; {place}, with {measured(here)}."


def all_round(found: Found) -> str:
    """The best over all experiments by two measures, and whether they are one."""
    rank, accuracy = (found[measure]["best"][0] for measure in ("rank", "accuracy"))
    by_rank = f"mean rank {rank['rank']:.1f} of {found['architectures']}"
    if rank["network"] == accuracy["network"]:
        return (f"Over the four experiments {rank['network']} is the best, both by mean rank ({by_rank}) and by mean "
                f"accuracy ({percent(rank['accuracy'])}%).")  # fmt: skip
    return (f"Over the four experiments, {rank['network']} is the best by mean rank ({by_rank}), "
            f"{accuracy['network']} by mean accuracy ({percent(accuracy['accuracy'])}%).")  # fmt: skip


def best(found: Found) -> str:
    """Who is best, of how many."""
    first, equals = found["best"][0], found["equals"]
    shared = f" ({counted(equals, 'has', 'have')} the same mean)" if equals > 1 else ""
    return (
        f"Of {found['architectures']} architectures, {first['network']} has the best mean{shared}: {measured(first)}."
    )
