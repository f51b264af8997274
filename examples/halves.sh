#!/bin/sh
# A shell command: an awk program that reads one file of tab-separated examples and writes another file of answers.
#
# It remembers the training commands. The answer to a new one, "A and B" or "B after A", is that of A, then that of B,
# if it remembers both. Use: sh halves.sh TRAIN COMMANDS ANSWERS
awk -F '\t' '
    FNR == NR { known[$1] = $2; next }                  # the first file: a command, a tab, its actions
    $1 in known { print known[$1]; next }               # the second file: a command, a tab, nothing
    split($1, half, " and ") == 2 { print both(half[1], half[2]); next }
    split($1, half, " after ") == 2 { print both(half[2], half[1]); next }
    { print "" }

    function both(first, second) {
        return (first in known) && (second in known) ? known[first] " " known[second] : ""
    }
' "$1" "$2" > "$3"
