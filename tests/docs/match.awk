# Succeeds when the second file is as the first says; a line `...` there stands for any lines.
NR == FNR { want[++wanted] = $0; next }
{ got[++found] = $0 }
# Whether want[i..] describes got[j..].
function fits(i, j,  k) {
    for (; i <= wanted; i++) {
        if (want[i] == "...") {
            for (k = j; k <= found + 1; k++) if (fits(i + 1, k)) return 1
            return 0
        }
        if (j > found || want[i] != got[j]) return 0
        j++
    }
    return j == found + 1
}
END { exit !fits(1, 1) }
