package protocol

import (
	"strings"
	"unicode/utf8"
)

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// suggest names the known word that is closest to a misspelt one, or else says fallback.
func suggest(got string, known []string, fallback string) string {
	if k := Closest(got, known); k != "" {
		return "did you mean " + k + "?"
	}
	return fallback
}

// Closest is the known word that a misspelt one resembles most, or "".
func Closest(got string, known []string) string {
	best, bestAt := 3, ""
	lower := []rune(strings.ToLower(got))
	for _, k := range known {
		size := utf8.RuneCountInString(k)
		most := min(best-1, size-1, max(1, size/3))
		if len(lower) > size+most || len(lower) < size-most || len(lower) > 60 {
			continue
		}
		if d := distance(lower, []rune(strings.ToLower(k))); d <= most {
			best, bestAt = d, k
		}
	}
	return bestAt
}

// distance is the number of edits between two words, where an exchange of two
// neighbours is one.
func distance(x, y []rune) int {
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			cost := rows[i-1][j-1]
			if x[i-1] != y[j-1] {
				cost++
			}
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				cost = min(cost, rows[i-2][j-2]+1)
			}
			rows[i][j] = min(cost, rows[i-1][j]+1, rows[i][j-1]+1)
		}
	}
	return rows[len(x)][len(y)]
}
