"""Experiment 4 on the page: English-French, and a new word. BLEU, every question, attention, what training shows."""

from collections.abc import Iterator, Sequence

import polars as pl

from daxlab.analysis.probes import attention
from daxlab.analysis.replicates import entries
from daxlab.analysis.translation import caution, different, right_of, shown
from daxlab.datasets import sentence_pairs
from daxlab.datasets.new_word import DAXY, FRAMES, MARK, new_word
from daxlab.datasets.translation import BUILT_IN, PAPER_DIGEST, TIMES
from daxlab.paper.experiments import TRANSLATION, TRANSLATOR
from daxlab.paper.targets import numbers
from daxlab.paper.translations import COUNTED, Condition, conditions, lost, stated
from daxlab.report import figures, text
from daxlab.report.blocks import Block, Cell, Fold, Row, Section, Table, Text, absent, blocks_until_missing
from daxlab.report.drawing import picture
from daxlab.report.facts import Facts, is_sentence_pairs
from daxlab.report.splits import about_dataset


def section(facts: Facts) -> Section:
    """A part for each corpus that has runs, the paper's first."""
    lead = (
        f"Short English sentences that begin with “I am”, “he is”, … and their French ones; {TRANSLATOR}. "
        "Then a fresh network, with one sentence about a new word added, many times over: “I am daxy”, “je suis "
        "daxiste”. Who knows “he is tired” should know “he is daxy”."
    )
    rows = facts.ledger.rows({"status": "done", "label": str(TRANSLATOR)})
    pairs = {row["spec"]["language"]["digest"]: row["dataset"] for row in rows if is_sentence_pairs(row["dataset"])}
    blocks: list[Block] = [Text(lead, "lead")]
    if PAPER_DIGEST not in pairs:
        blocks.append(absent("the paper's experiment with English-French", TRANSLATION))
    order = sorted(pairs.items(), key=lambda pair: (pair[0] != PAPER_DIGEST, pair))
    parts = [part for digest, name in order for part in _parts(facts, digest, name)]
    return Section("experiment-4", "Experiment 4: a new word in translation", blocks, parts, short="Experiment 4")


def _parts(facts: Facts, digest: str, name: str) -> Iterator[Section]:
    every = conditions(facts.ledger, digest, name)
    runs = [one for one in every if one.rows]
    mark, of = ("", "") if digest == PAPER_DIGEST else (f"-{digest[:8]}", f" ({_called(name)})")
    parts = {
        "bleu": ("How well it translates", _bleu(every, runs, name, mark)),
        "new-word": (f"What becomes of *{new_word(name).word.english}*", _asked(runs, mark)),
        "translations": ("Every translation", _every(runs, mark)),
        "looked": ("Where it looked", _looked(runs, mark)),
        "frames": ("What training shows", _frames(name, mark)),
    }
    for part, (title, blocks) in parts.items() if runs else ():
        yield Section(part + mark, title + of, blocks_until_missing(blocks))


def _called(name: str) -> str:
    """The corpus, with the new word where it is not the paper's."""
    corpus, new = name.split(MARK, maxsplit=1)[0], new_word(name)
    parts = ["synthetic" if corpus == BUILT_IN else corpus]
    parts += [new.word.english] if new.word != DAXY else []
    return ", ".join([*parts, "frames of one's own"] if new.frames != FRAMES else parts)


def _bleu(every: Sequence[Condition], runs: Sequence[Condition], name: str, mark: str) -> Iterator[Block]:
    if mark:
        built_in = name.split(MARK, maxsplit=1)[0] == BUILT_IN
        kind = "synthetic sentences of a small grammar" if built_in else f"of `{name}`"
        yield Text(f"These pairs are {kind}, not the paper's, so its figures are no measure of these runs.", "beyond")
    yield Text(about_dataset(name))
    rows: list[Sequence[Cell]] = []
    for one in runs:
        paper, points = stated(one.times), lost(every[0], one) if one.times else []
        means = [text.mean_cell(entries(values)) if values else "" for values in (one.bleu, points)]
        by_sentence, each = f"{entries(one.by_sentence)['mean']:.2f}", " ".join(f"{score:.2f}" for score in one.bleu)
        rows.append((one.split, paper.get("bleu", ""), means[0], by_sentence, means[1], paper.get("lost", ""), each))
    caption = (
        "Corpus BLEU of greedy translations by sacrebleu, on the text as the corpus is read: pair by pair "
        f"(`{runs[0].signature}`); *by sentence*: each English sentence once, with all its French ones as references. "
        "Lost: the baseline's minus this, seed by seed."
    )
    head = ("split", "paper", "BLEU", "by sentence", "lost", "paper", "every run")
    yield Table(f"bleu-table{mark}", "BLEU on the test sentences.", head, rows, right=(1, 2, 3, 4, 5), caption=caption)
    missing = [one.split for one in every if not one.rows]
    if missing:
        yield absent(text.listed(missing), TRANSLATION, several=len(missing) > 1)


def _asked(runs: Sequence[Condition], mark: str) -> Iterator[Block]:
    new = new_word(runs[0].language)
    word, known, asked = new.word.english, new.known.english, len(new.frames) - 1
    taught = [one for one in runs if one.times]
    if not taught:
        yield absent(f"what becomes of “{word}”", TRANSLATION)
        return
    for one in taught:
        own, strict = ([f"{entries(one.right(which, as_stated=as_stated))['mean']:.1f}" for which in (word, known)]
                       for as_stated in (False, True))  # fmt: skip
        yield Text(
            f"With “{new.taught.command}” {text.counted(one.times, 'time')}, {own[0]} of the {asked} sentences with "
            f"“{word}” come out right ({text.counted(len(one.rows), 'run')}), {own[1]} with “{known}”; with the "
            f"references alone, {strict[0]} and {strict[1]}."
        )
    rows = [{"times": one.times, **one.percent_right(word)} for one in reversed(taught)]
    places = {times: place for place, times in enumerate(reversed(TIMES))}
    series = [figures.Series(f"“{word}”", rows, [places[row["times"]] for row in rows])]
    theirs = {places[n]: 100 * numbers()[f"exp4.daxy.{n}"] / asked for n in TIMES} if new.frames == FRAMES else {}
    drawn = figures.curve(series, [f"{times:,}" for times in places], f"times “{new.taught.command}” is shown", theirs)
    caption = f"Per cent of the {asked} sentences; means and standard errors over runs."
    caption += " Diamonds: the paper." if theirs else ""
    title = f"Sentences with “{word}” that come out right."
    yield Row([picture(drawn, f"repetitions{mark}", title, caption, rows)])


def _every(runs: Sequence[Condition], mark: str) -> Iterator[Block]:
    yield Text(
        "A translation is right if it is a reference, word for word: the one shown, the same with “vous” for “tu”, or "
        "with another form of the adjective that agrees with its subject."
    )
    for one in runs:
        new, rows, counts = new_word(one.language), list[Sequence[Cell]](), []
        for word in (new.word.english, new.known.english):
            counts.append(f"“{word}”: {entries(one.right(word))['mean']:.1f} of {len(new.frames) - 1} right")
            rows.append((counts[-1],))
            for answers in zip(*(right_of(run, word) for run in one.translated), strict=True):
                question = answers[0].question
                asked = (question.command, " ".join(question.references[0]))
                for translation, right, times in different(answers):
                    rows.append((*asked, translation, str(times), "right" if right else "wrong"))
                    asked = ("", "")
        title = f"The questions after *{one.split}* ({text.counted(len(one.rows), 'run')})."
        head = ("sentence", "reference", "translation", "runs", "")
        table = Table(f"translations-{one.split}{mark}", title, head, rows, right=(3,))
        yield Fold(f"after-{one.split}{mark}", one.split, "; ".join(counts), [table], shut=one.times != TIMES[0])


def _looked(runs: Sequence[Condition], mark: str) -> Iterator[Block]:
    taught = [one for one in runs if one.times == TIMES[0]]
    frame = attention(taught[0].ledger, taught[0].keys[0]) if taught else pl.DataFrame()
    if frame.is_empty():
        yield absent("where it looked", TRANSLATION)
        return
    (one,) = taught
    new, pictures = new_word(one.language), []
    for word in (new.word.english, new.known.english):
        asked = [question.command for question in new.questions if question.word == word and not question.taught]
        some = frame.filter(pl.col("command").is_in(asked))
        drawn = figures.attention_maps(some, across=2, names=50)
        caption = f"Seed {one.rows[0]['seed']} of *{one.split}*. Rows: the words it gave; columns: those it was given."
        pictures.append(picture(drawn, f"looked-{word}{mark}", f"Where it looked: “{word}”.", caption, some))
    yield Row(pictures)


def _frames(name: str, mark: str) -> Iterator[Block]:
    data = sentence_pairs(name)
    there, new, known = shown(data), data.new, data.new.known.english
    if said := caution(data):
        yield Text(said)
    theirs = (text.number(int(numbers()[name])) for name in COUNTED)
    paper = " In the paper: {}, {}, and {}; how it counts, it does not say.".format(*theirs)
    sentences, seen = text.counted(there.sentences, "distinct English sentence"), len(there.seen)
    yield Text(
        f"Training has {sentences} with “{known}”; of the questions with it, {text.counted(seen, 'is', 'are')} among "
        f"these ({', '.join(there.seen) or 'none'}). A frame stands there with {there.mean:.1f} predicates on average: "
        "distinct single words in its place, the sentence spelt as in the question and nothing else; with “you re” "
        f"counted as “you are”, {there.mean_contracted:.1f}." + (paper if new.frames == FRAMES else "")
    )
    counts = {"sentences": there.framed, "predicates": there.predicates, "contractions too": there.contracted}
    counts[f"with “{known}”"] = there.asked
    rows = [(frame, *(f"{count[frame]:,}" for count in counts.values())) for frame in there.predicates]
    caption = (
        "Sentences: distinct English ones that begin and end as the frame does, with one word or more in its place. "
        f"With “{known}”: how many pairs of training have the frame's question with it."
    )
    title = "How often training shows each frame."
    yield Table(f"frames-table{mark}", title, ("frame", *counts), rows, right=(1, 2, 3, 4), caption=caption)
