"""Experiment 4 on the page: English-French, and a new word. BLEU, every question, attention, what training shows."""

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import fmean

import polars as pl

from daxlab.analysis.intervals import student
from daxlab.analysis.probes import attention
from daxlab.analysis.replicates import entries, summary
from daxlab.analysis.translation import caution, right_of, shown
from daxlab.datasets import sentence_pairs
from daxlab.datasets.new_word import DAXY, FRAMES, MARK, new_word
from daxlab.datasets.translation import BUILT_IN, PAPER_DIGEST, TIMES
from daxlab.paper.experiments import TRANSLATION, TRANSLATOR
from daxlab.paper.targets import numbers
from daxlab.paper.translations import COUNTED, Condition, conditions, lost, stated
from daxlab.report import figures, text
from daxlab.report.blocks import Block, Cell, Fold, Section, Table, Text, absent, blocks_until_missing
from daxlab.report.drawing import picture
from daxlab.report.facts import Facts
from daxlab.report.splits import about_dataset, attention_picture


def section(facts: Facts) -> Section:
    """A part for each corpus that has runs, the paper's first."""
    lead = (
        f"Short English sentences that begin with “I am”, “he is”, … and their French ones; {TRANSLATOR}. "
        "Then a fresh network, with one sentence about a new word added, many times over: “I am daxy”, “je suis "
        "daxiste”. Who knows “he is tired” should know “he is daxy”."
    )
    rows = facts.ledger.rows({"status": "done", "label": str(TRANSLATOR), "dataset": facts.pairs})
    pairs = {row["spec"]["language"]["digest"]: row["dataset"] for row in rows}
    blocks: list[Block] = [Text(lead, "lead")]
    if PAPER_DIGEST not in pairs:
        blocks.append(absent("the paper's experiment with English-French", TRANSLATION))
    order = sorted(pairs.items(), key=lambda pair: (pair[0] != PAPER_DIGEST, pair))
    parts = [part for digest, name in order for part in _parts(facts, digest, name)]
    return Section("experiment-4", "Experiment 4: a new word in translation", blocks, parts, short="Experiment 4")


def _parts(facts: Facts, digest: str, name: str) -> Iterator[Section]:
    every = conditions(facts.ledger, digest, name)
    runs = [part for part in every if part.rows]
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
        not_paper = "are not the paper's, so its figures are no measure of these runs"
        yield Text(f"These pairs ({_called(name)}) {not_paper}.", "warning")
    yield Text(about_dataset(name))
    rows: list[Sequence[Cell]] = []
    for part in runs:
        paper, points = stated(part.times), lost(every[0], part) if part.times else []
        means = [text.mean_cell(summary(values, student)) if values else "" for values in (part.bleu, points)]
        by_sentence, each = f"{fmean(part.by_sentence):.2f}", " ".join(f"{score:.2f}" for score in part.bleu)
        rows.append((part.split, paper.get("bleu", ""), means[0], by_sentence, means[1], paper.get("lost", ""), each))
    caption = (
        "Corpus BLEU of greedy translations by sacrebleu, on the text as the corpus is read: pair by pair "
        f"(`{runs[0].signature}`); *by sentence*: each English sentence once, with all its French ones as references. "
        "Lost: the baseline's minus this, seed by seed."
    )
    head = ("split", "paper", "BLEU", "by sentence", "lost", "paper", "every run")
    yield Table(f"bleu-table{mark}", "BLEU on the test sentences.", head, rows, right=(1, 2, 3, 4, 5), caption=caption)
    missing = [part.split for part in every if not part.rows]
    if missing:
        yield absent(text.listed(missing), TRANSLATION)


def _asked(runs: Sequence[Condition], mark: str) -> Iterator[Block]:
    new = new_word(runs[0].language)
    word, known, asked = new.word.english, new.known.english, len(new.frames) - 1
    taught = [part for part in runs if part.times]
    if not taught:
        yield absent(f"what becomes of “{word}”", TRANSLATION)
        return
    for part in taught:
        right = [f"{fmean(part.right(which)):.1f}" for which in (word, known)]
        yield Text(
            f"With “{new.taught.command}” {text.counted(part.times, 'time')}, {right[0]} of the {asked} sentences with "
            f"“{word}” come out right ({text.counted(len(part.rows), 'run')}), {right[1]} with “{known}”."
        )
    shares = [{"times": part.times, **entries([100 * n / asked for n in part.right(word)])} for part in taught]
    rows, times = pl.DataFrame(shares).reverse(), list(reversed(TIMES))
    papers = {n: 100 * numbers()[f"exp4.daxy.{n}"] / asked for n in times} if new.frames == FRAMES else {}
    drawn = figures.curve({f"“{word}”": rows}, "times", times, f"times “{new.taught.command}” is shown", papers)
    caption = f"Per cent of the {asked} sentences; means and standard errors over runs."
    caption += " Diamonds: the paper." if papers else ""
    title = f"Sentences with “{word}” that come out right."
    yield picture(drawn, f"repetitions{mark}", title, caption, rows)


def _every(runs: Sequence[Condition], mark: str) -> Iterator[Block]:
    yield Text(
        "A translation is right if it is a reference, word for word: the one shown, the same with “vous” for “tu”, or "
        "with another form of the adjective that agrees with its subject."
    )
    for part in runs:
        new, rows, counts = new_word(part.language), list[Sequence[Cell]](), []
        for word in (new.word.english, new.known.english):
            counts.append(f"“{word}”: {fmean(part.right(word)):.1f} of {len(new.frames) - 1} right")
            rows.append((counts[-1],))
            for answers in zip(*(right_of(run, word) for run in part.translated), strict=True):
                question = answers[0].question
                asked = (question.command, " ".join(question.references[0]))
                translations = Counter((" ".join(answer.translation), answer.right) for answer in answers)
                for (translation, right), times in translations.most_common():
                    rows.append((*asked, translation, str(times), "right" if right else "wrong"))
                    asked = ("", "")
        title = f"The questions after *{part.split}* ({text.counted(len(part.rows), 'run')})."
        head = ("sentence", "reference", "translation", "runs", "")
        table = Table(f"translations-{part.split}{mark}", title, head, rows, right=(3,))
        yield Fold(f"after-{part.split}{mark}", part.split, "; ".join(counts), [table], open=part.times == TIMES[0])


def _looked(runs: Sequence[Condition], mark: str) -> Iterator[Block]:
    taught = [part for part in runs if part.times == TIMES[0]]
    frame = attention(taught[0].ledger, taught[0].keys[0]) if taught else pl.DataFrame()
    if frame.is_empty():
        yield absent("where it looked", TRANSLATION)
        return
    (part,) = taught
    new = new_word(part.language)
    whose = f"Seed {part.rows[0]['seed']} of *{part.split}*."
    right = {answer.question.command: answer.right for answer in part.translated[0]}
    for word in (new.word.english, new.known.english):
        asked = [question.command for question in new.questions if question.word == word and not question.taught]
        maps = frame.filter(pl.col("command").is_in(asked))
        title = f"Where it looked: “{word}”."
        yield attention_picture(maps, right, f"looked-{word}{mark}", title, whose)


def _frames(name: str, mark: str) -> Iterator[Block]:
    data = sentence_pairs(name)
    training, new, known = shown(data), data.new, data.new.known.english
    if said := caution(data):
        yield Text(said)
    papers = (text.number(int(numbers()[name])) for name in COUNTED)
    paper = " In the paper: {}, {}, and {}; how it counts, it does not say.".format(*papers)
    sentences, seen = text.counted(training.sentences, "distinct English sentence"), len(training.seen)
    yield Text(
        f"Training has {sentences} with “{known}”; of the questions with it, {text.counted(seen, 'is', 'are')} among "
        f"these ({', '.join(training.seen) or 'none'}). A frame stands there with {training.mean:.1f} predicates on "
        "average: distinct single words in its place, the sentence spelt as in the question and nothing else; with "
        f"“you re” counted as “you are”, {training.mean_contracted:.1f}." + (paper if new.frames == FRAMES else "")
    )
    counts = {"sentences": training.framed, "predicates": training.predicates, "contractions too": training.contracted}
    counts[f"with “{known}”"] = training.asked
    rows = [(frame, *(f"{count[frame]:,}" for count in counts.values())) for frame in training.predicates]
    caption = (
        "Sentences: distinct English ones that begin and end as the frame does, with one word or more in its place. "
        f"With “{known}”: how many pairs of training have the frame's question with it."
    )
    title = "How often training shows each frame."
    yield Table(f"frames-table{mark}", title, ("frame", *counts), rows, right=(1, 2, 3, 4), caption=caption)
