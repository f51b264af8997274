"""Hugging Face Transformers: a small T5, made from a config and trained from scratch; nothing is downloaded.

It needs torch and transformers, in whatever environment --python names. Its settings: --arg updates=2000.
"""

import torch
from torch.nn.utils.rnn import pad_sequence
from transformers import GenerationConfig, T5Config, T5ForConditionalGeneration

PAD, END = 0, 1  # T5's own numbers; PAD begins an answer, too
LONGEST = 64  # actions in an answer
IGNORED = -100  # a label that does not count


class T5:
    """An encoder and a decoder of a few layers, over the words and actions of the training examples."""

    def __init__(self, updates=2000, width=64, layers=2, batch=64, rate=0.001):
        self.updates, self.width, self.layers, self.batch, self.rate = updates, width, layers, batch, rate

    def fit(self, train, *, seed):
        torch.manual_seed(seed)
        symbols = sorted({symbol for pair in train for text in pair for symbol in text.split()})
        self.numbers = {symbol: number for number, symbol in enumerate(symbols, END + 1)}
        self.names = {number: symbol for symbol, number in self.numbers.items()}
        config = T5Config(
            vocab_size=len(symbols) + END + 1,
            d_model=self.width,
            d_kv=self.width // 4,
            d_ff=self.width * 4,
            num_layers=self.layers,
            num_heads=4,
            decoder_start_token_id=PAD,
        )
        self.model = T5ForConditionalGeneration(config).train()
        optimiser = torch.optim.Adam(self.model.parameters(), self.rate)
        for _ in range(self.updates):
            drawn = torch.randint(len(train), (self.batch,)).tolist()
            labels = self.encode([train[n][1] for n in drawn])["input_ids"]
            labels[labels == PAD] = IGNORED
            loss = self.model(**self.encode([train[n][0] for n in drawn]), labels=labels).loss
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()

    def encode(self, texts):
        rows = [torch.tensor([*(self.numbers.get(s, PAD) for s in text.split()), END]) for text in texts]
        return {
            "input_ids": pad_sequence(rows, batch_first=True, padding_value=PAD),
            "attention_mask": pad_sequence([torch.ones_like(row) for row in rows], batch_first=True),
        }

    def predict(self, commands):
        greedy = GenerationConfig(
            max_new_tokens=LONGEST, decoder_start_token_id=PAD, eos_token_id=END, pad_token_id=PAD
        )
        rows, answers = [commands[n : n + 512] for n in range(0, len(commands), 512)], []
        for some in rows:
            answers += self.model.eval().generate(**self.encode(some), generation_config=greedy).tolist()
        return [" ".join(self.names[number] for number in answer if number > END) for answer in answers]
