"""Nearest neighbour: a class with fit and predict, and nothing to install. docs/your-model.md explains it."""


class Nearest:
    """Answers like a training command that differs in one word, with the action of that word exchanged."""

    def fit(self, train, *, seed):
        self.known = dict(train)
        self.near = {gap: (word, command) for command in self.known for word, gap in gaps(command)}

    def predict(self, commands):
        return [self.known.get(command) or self.guess(command) for command in commands]

    def guess(self, command):
        for word, gap in gaps(command):
            if gap in self.near:
                other, neighbour = self.near[gap]
                ours, theirs = self.known.get(word, ""), self.known.get(other, "")
                return self.known[neighbour].replace(theirs, ours) if ours and theirs else self.known[neighbour]
        return ""


def gaps(command):
    """Each word of a command, with the command that has a gap in its place."""
    words = command.split()
    return [(word, " ".join([*words[:n], "_", *words[n + 1 :]])) for n, word in enumerate(words)]
