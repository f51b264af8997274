"""Experiment 4 on the page: English-French, and a new word. BLEU, every question, attention, what training shows."""

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import fmean

import polars as pl

from daxlab.analysis.replicates import entries
from daxlab.analysis.translation import Translated, caution, right_of, shown
from daxlab.datasets import sentence_pairs
from daxlab.datasets.new_word import DAXY, FRAMES, MARK, new_word
from daxlab.datasets.translation import BUILT_IN, PAPER_DIGEST, TIMES
from daxlab.errors import InputError
from daxlab.paper import experiments
from daxlab.paper.conditions import Condition, conditions, lost, stated
from daxlab.paper.targets import numbers
from daxlab.paper.translations import COUNTED
from daxlab.report import figures, text
from daxlab.report.attention import maps_of, panels
from daxlab.report.blocks import Block, Cell, Fold, Row, Section, Table, Text, told
from daxlab.report.drawing import picture
from daxlab.report.facts import Facts, is_sentence_pairs

REPRODUCE = text.reproduce("translation")


def section(facts: Facts) -> Section:
    """A part for each corpus that has runs, the paper's first."""
    lead = (
        f"Short English sentences that begin with “I am”, “he is”, … and their French ones; {experiments.TRANSLATOR}. "
        "Then a fresh network, with one sentence about a new word added, many times over: “I am daxy”, “je suis "
        "daxiste”. Who knows “he is tired” should know “he is daxy”."
    )
    found = _languages(facts)
    blocks: list[Block] = [Text(lead, "lead")]
    if PAPER_DIGEST not in found:
        blocks.append(Text(text.absent("the paper's experiment with English-French", REPRODUCE), "absent"))
    parts = [part for digest, name in found.items() for part in _parts(facts, digest, name)]
    title = "Experiment 4: a new word in translation"
    return Section("experiment-4", title, blocks, parts, short="Experiment 4")


def _languages(facts: Facts) -> dict[str, str]:
    """Digest and name of the pairs that networks of the paper's kind were trained on by its protocol."""
    chosen = [
        (row["spec"]["language"]["digest"], row["spec"]["language"]["name"])
        for row in facts.ledger.rows({"status": "done", "hidden": experiments.TRANSLATOR.hidden})
        if is_sentence_pairs(row["language"])
    ]
    return dict(sorted(chosen, key=lambda one: (one[0] != PAPER_DIGEST, one)))


def _parts(facts: Facts, digest: str, name: str) -> Iterator[Section]:
    every = conditions(facts.ledger, digest, name)
    if not any(one.rows for one in every):
        return
    mark = "" if digest == PAPER_DIGEST else f"-{digest[:8]}"
    of = "" if digest == PAPER_DIGEST else f" ({_called(name)})"
    yield Section(f"bleu{mark}", f"How well it translates{of}", told(_bleu(every, digest, name, mark)))
    new = new_word(name).word.english
    yield Section(f"new-word{mark}", f"What becomes of *{new}*{of}", told(_asked(every, mark)))
    yield Section(f"translations{mark}", f"Every translation{of}", told(_every(every, mark)))
    yield Section(f"looked{mark}", f"Where it looked{of}", told(_looked(every, mark)))
    yield Section(f"frames{mark}", f"What training shows{of}", told(_frames(name, mark)))


def _called(name: str) -> str:
    """The corpus, with the new word where it is not the paper's."""
    corpus, new = name.split(MARK, maxsplit=1)[0], new_word(name)
    parts = ["synthetic" if corpus == BUILT_IN else corpus]
    parts += [new.word.english] if new.word != DAXY else []
    parts += ["frames of one's own"] if new.frames != FRAMES else []
    return ", ".join(parts)


def _about(name: str) -> str:
    try:
        return sentence_pairs(name).about
    except InputError:  # what they gave is known without them
        return f"`{name}`, which are not on this machine"


def _bleu(every: Sequence[Condition], digest: str, name: str, mark: str) -> Iterator[Block]:
    if digest != PAPER_DIGEST:
        built_in = name.split(MARK, maxsplit=1)[0] == BUILT_IN
        kind = "synthetic sentences of a small grammar" if built_in else f"of `{name}`"
        yield Text(f"These pairs are {kind}, not the paper's, so its figures are no measure of these runs.", "beyond")
    yield Text(f"The pairs: {_about(name)}.")
    baseline = every[0]
    rows: list[Sequence[Cell]] = []
    for one in every:
        if not one.rows:
            continue
        said = stated(one.times)
        points = lost(baseline, one) if one.times else []
        numbers = (
            _interval(one.bleu),
            f"{fmean(one.by_sentence):.2f}",
            _interval(points) if points else "",
            said.get("lost", ""),
        )
        rows.append((one.split, said.get("bleu", ""), *numbers, " ".join(f"{score:.2f}" for score in one.bleu)))
    signature = next(one.signature for one in every if one.rows)
    caption = (
        "Corpus BLEU of greedy translations by sacrebleu, on the text as the corpus is read: pair by pair "
        f"(`{signature}`); *by sentence*: each English sentence once, with all its French ones as references. Lost: "
        "the baseline's minus this, seed by seed."
    )
    head = ("split", "paper", "BLEU", "by sentence", "lost", "paper", "every run")
    yield Table(f"bleu-table{mark}", "BLEU on the test sentences.", head, rows, right=(1, 2, 3, 4, 5), caption=caption)
    missing = [one.split for one in every if not one.rows]
    if missing:
        yield Text(text.absent(text.listed(missing), REPRODUCE, several=len(missing) > 1), "absent")


def _interval(values: Sequence[float]) -> str:
    found = entries(values)
    if found["low"] is None:
        return text.signed(found["mean"])
    mean, low, high = (text.signed(found[name]) for name in ("mean", "low", "high"))
    return f"{mean} ± {found['sem']:.2f}\n{low} to {high}"


def _asked(every: Sequence[Condition], mark: str) -> Iterator[Block]:
    new = new_word(every[0].language)
    word, known, asked = new.word.english, new.known.english, len(new.frames) - 1
    taught = [one for one in every if one.times and one.rows]
    if not taught:
        yield Text(text.absent(f"what becomes of “{word}”", REPRODUCE), "absent")
        return
    for one in taught:
        new_ones, known_ones = fmean(one.right(word)), fmean(one.right(known))
        yield Text(
            f"With “{new.taught.command}” {text.counted(one.times, 'time')}, {new_ones:.1f} of the {asked} sentences "
            f"with “{word}” come out right ({text.counted(len(one.rows), 'run')}), {known_ones:.1f} with “{known}”; "
            f"with the references alone, {fmean(one.right(word, as_stated=True)):.1f} and "
            f"{fmean(one.right(known, as_stated=True)):.1f}."
        )
    rows = [
        {"times": one.times, **entries([100 * right / asked for right in one.right(word)])} for one in reversed(taught)
    ]
    places = {times: place for place, times in enumerate(reversed(TIMES))}
    series = [figures.Series(f"“{word}”", rows, [places[row["times"]] for row in rows])]
    theirs = {places[n]: 100 * numbers()[f"exp4.daxy.{n}"] / asked for n in TIMES} if new.frames == FRAMES else {}
    drawn = figures.curve(series, [f"{times:,}" for times in places], f"times “{new.taught.command}” is shown", theirs)
    label = "Right by repetitions: " + "; ".join(f"{row['times']}: {row['mean']:.1f}%" for row in rows)
    caption = f"Per cent of the {asked} sentences; means and standard errors over runs."
    caption += " Diamonds: the paper." if theirs else ""
    title = f"Sentences with “{word}” that come out right."
    yield Row([picture(drawn, f"repetitions{mark}", title, caption, label, pl.DataFrame(rows))])


def _every(every: Sequence[Condition], mark: str) -> Iterator[Block]:
    yield Text(
        "A translation is right if it is a reference, word for word: the one shown, the same with “vous” for “tu”, or "
        "with another form of the adjective that agrees with its subject."
    )
    for one in every:
        if not one.rows:
            continue
        new = new_word(one.language)
        rows: list[Sequence[Cell]] = []
        counts = []
        for word in (new.word.english, new.known.english):
            counts.append(f"“{word}”: {fmean(one.right(word)):.1f} of {len(new.frames) - 1} right")
            rows.append((counts[-1],))
            rows += [line for answers in zip(*(right_of(run, word) for run in one.translated), strict=True)
                     for line in _lines(answers)]  # fmt: skip
        head = ("sentence", "reference", "translation", "runs", "")
        title = f"The questions after *{one.split}* ({text.counted(len(one.rows), 'run')})."
        table = Table(f"translations-{one.split}{mark}", title, head, rows, right=(3,))
        yield Fold(f"after-{one.split}{mark}", one.split, "; ".join(counts), [table], shut=one.times != TIMES[0])


def _lines(answers: Sequence[Translated]) -> Iterator[Sequence[str]]:
    """A line for each different translation of a question."""
    asked = answers[0].question
    sentence, reference = asked.command, " ".join(asked.references[0])
    for (given, right), runs in Counter((one.translation, one.right) for one in answers).most_common():
        yield sentence, reference, " ".join(given), str(runs), "right" if right else "wrong"
        sentence = reference = ""


def _looked(every: Sequence[Condition], mark: str) -> Iterator[Block]:
    from daxlab.analysis.attention import attention  # the analyses are slow to load

    one = next((each for each in every if each.times == TIMES[0] and each.rows), None)
    frame = attention(one.ledger, one.rows[0]["key"]) if one else None
    if one is None or frame is None or frame.is_empty():
        yield Text(text.absent("where it looked", REPRODUCE), "absent")
        return
    new = new_word(one.language)
    pictures = []
    for word in (new.word.english, new.known.english):
        asked = [each.command for each in new.questions if each.word == word and not each.taught]
        some = frame.filter(pl.col("command").is_in(asked))
        drawn = panels(maps_of(some), across=2, names=50)
        caption = f"Seed {one.rows[0]['seed']} of *{one.split}*. Rows: the words it gave; columns: those it was given."
        label = f"Attention maps for {', '.join(asked)}"
        title = f"Where it looked: “{word}”."
        pictures.append(picture(drawn, f"looked-{word}{mark}", title, caption, label, some))
    yield Row(pictures)


def _frames(name: str, mark: str) -> Iterator[Block]:
    lang = sentence_pairs(name)
    there, new = shown(lang), lang.new
    if said := caution(lang):
        yield Text(said)
    theirs = (text.number(int(numbers()[name])) for name in COUNTED)
    paper = " In the paper: {}, {}, and {}; how it counts, it does not say.".format(*theirs)
    known, sentences = new.known.english, text.counted(there.sentences, "distinct English sentence")
    yield Text(
        f"Training has {sentences} with “{known}”; of the questions with it, {text.number(len(there.seen))} "
        f"({', '.join(there.seen) or 'none'}) {'is' if len(there.seen) == 1 else 'are'} among these. A frame stands "
        f"there with {there.mean:.1f} predicates on average: distinct single words in its place, the sentence spelt as "
        f"in the question and nothing else; with “you re” counted as “you are”, "
        f"{fmean(there.contracted.values()):.1f}." + (paper if new.frames == FRAMES else "")
    )
    counts = (there.framed, there.predicates, there.contracted, there.asked)
    rows = [(frame, *(f"{count[frame]:,}" for count in counts)) for frame in there.predicates]
    head = ("frame", "sentences", "predicates", "contractions too", f"with “{known}”")
    caption = (
        "Sentences: distinct English ones that begin and end as the frame does, with one word or more in its place. "
        f"With “{known}”: how many pairs of training have the frame's question with it."
    )
    title = "How often training shows each frame."
    yield Table(f"frames-table{mark}", title, head, rows, right=(1, 2, 3, 4), caption=caption)
