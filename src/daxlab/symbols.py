"""The three symbols every vocabulary starts with, and a name. Knows nothing of words or of networks."""

PAD = 0  # fills up a sequence after its <EOS>; never read, never produced
SOS = 1  # the decoder's first input; never produced
EOS = 2  # ends every command and every action sequence
SPECIAL = ("<PAD>", "<SOS>", "<EOS>")
FINAL = "final"  # of the states that an encoder offers, the one by which commands are compared
