"""Hand-written rules: a bare function of commands, which is never shown a training example.

A lexicon and SCAN's rules are written down here, so it is right on every split, and on none once the words are
disguised. The card says that nothing is learned.
"""

LEXICON = {word: [f"I_{word.upper()}"] for word in ("walk", "look", "run", "jump")} | {"turn": []}
TURNS = {"left": ["I_TURN_LEFT"], "right": ["I_TURN_RIGHT"]}
TIMES = {"twice": 2, "thrice": 3}


def answer(commands):
    """The actions of each command; nothing where a word is not in the lexicon."""
    return [" ".join(actions(command)) for command in commands]


def actions(command):
    try:
        if " and " in command:
            first, second = command.split(" and ")
            return phrase(first.split()) + phrase(second.split())
        if " after " in command:
            second, first = command.split(" after ")
            return phrase(first.split()) + phrase(second.split())
        return phrase(command.split())
    except (KeyError, ValueError):
        return []


def phrase(words):
    """walk | walk left | walk opposite left | walk around left, perhaps twice or thrice."""
    if words[-1] in TIMES:
        return phrase(words[:-1]) * TIMES[words[-1]]
    verb, *way = words
    if not way:
        return LEXICON[verb]
    turn = TURNS[way[-1]]
    if way[0] == "opposite":
        return turn * 2 + LEXICON[verb]
    if way[0] == "around":
        return (turn + LEXICON[verb]) * 4
    return turn + LEXICON[verb]
