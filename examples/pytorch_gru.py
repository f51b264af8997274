"""PyTorch: a sequence-to-sequence GRU, trained with teacher forcing in a bounded number of updates.

It needs torch, in whatever environment --python names. Its settings are set from outside: --arg updates=2000.
"""

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence

PAD, END = 0, 1  # an answer starts and ends with END
LONGEST = 64  # actions in an answer


class Gru:
    """Reads a command into one vector, and writes the actions from it."""

    def __init__(self, updates=3000, width=128, batch=64, rate=0.002):
        self.updates, self.width, self.batch, self.rate = updates, width, batch, rate

    def fit(self, train, *, seed):
        torch.manual_seed(seed)
        self.words, self.actions = (
            {
                symbol: number
                for number, symbol in enumerate(sorted({s for text in side for s in text.split()}), END + 1)
            }
            for side in zip(*train)
        )
        self.names = {number: action for action, number in self.actions.items()}
        self.read, self.say = (nn.Embedding(len(v) + END + 1, self.width) for v in (self.words, self.actions))
        self.encoder, self.decoder = (nn.GRU(self.width, self.width, batch_first=True) for _ in range(2))
        self.output = nn.Linear(self.width, len(self.actions) + END + 1)
        network = nn.ModuleList([self.read, self.say, self.encoder, self.decoder, self.output])
        optimiser = torch.optim.Adam(network.parameters(), self.rate)
        targets = [torch.tensor([END, *(self.actions[a] for a in actions.split()), END]) for _, actions in train]
        for _ in range(self.updates):
            drawn = torch.randint(len(train), (self.batch,)).tolist()
            answers = pad_sequence([targets[n] for n in drawn], batch_first=True, padding_value=PAD)
            state = self.encode([train[n][0] for n in drawn])
            logits = self.output(self.decoder(self.say(answers[:, :-1]), state)[0])  # [batch, time, actions]
            loss = nn.functional.cross_entropy(logits.transpose(1, 2), answers[:, 1:], ignore_index=PAD)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1)
            optimiser.step()

    def encode(self, commands):
        rows = [torch.tensor([*(self.words.get(word, PAD) for word in command.split()), END]) for command in commands]
        embedded, lengths = self.read(pad_sequence(rows, batch_first=True)), [len(row) for row in rows]
        return self.encoder(pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False))[1]

    @torch.no_grad()
    def predict(self, commands):
        state, last, answers = self.encode(commands), torch.full((len(commands), 1), END), []
        for _ in range(LONGEST):
            seen, state = self.decoder(self.say(last), state)
            last = self.output(seen).argmax(-1)
            answers.append(last)
        rows = torch.cat(answers, 1).tolist()
        return [" ".join(self.names.get(a, "") for a in row[: [*row, END].index(END)]) for row in rows]
