package main

import (
	"runtime"
	"slices"
	"time"
)

// probe is something that is measured.
type probe struct {
	label string
	run   func()
}

// figure is the medians of one probe.
type figure struct {
	ns     float64
	ratio  float64 // to the first probe, within the same round
	bytes  float64
	allocs float64
}

// measure runs the probes in turns: in each round each of them for about the length of a slice, after a collection, so that
// nobody pays for the garbage of the one before. Ratios are made within a round, so that a slow minute of the machine meets
// both sides; what is given are medians over the rounds.
func measure(rounds int, slice time.Duration, probes []probe) []figure {
	out := make([]figure, len(probes))
	batches := make([]int, len(probes))
	times := make([][]float64, len(probes))
	for i, p := range probes {
		out[i].bytes, out[i].allocs = allocated(p.run)
		batches[i] = batch(p.run, slice)
		times[i] = make([]float64, rounds)
	}
	for round := range rounds {
		for k := range probes {
			i := (k + round) % len(probes) // nobody always comes after the same one
			runtime.GC()
			times[i][round] = float64(timed(probes[i].run, batches[i])) / float64(batches[i])
		}
	}
	for i := range probes {
		ratios := make([]float64, rounds)
		for round := range rounds {
			ratios[round] = times[i][round] / times[0][round]
		}
		out[i].ns, out[i].ratio = median(times[i]), median(ratios)
	}
	return out
}

func timed(run func(), n int) time.Duration {
	start := time.Now()
	for range n {
		run()
	}
	return time.Since(start)
}

// batch is how many runs take about the length of a slice.
func batch(run func(), slice time.Duration) int {
	for n := 1; ; n *= 2 {
		if took := timed(run, n); took >= slice/4 || n >= 1<<20 {
			return max(1, int(float64(n)*float64(slice)/float64(max(took, 1))))
		}
	}
}

// allocated is what one run allocates, on the average.
func allocated(run func()) (bytes, count float64) {
	const n = 1000
	run() // what is made once is made now
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range n {
		run()
	}
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc-before.TotalAlloc) / n, float64(after.Mallocs-before.Mallocs) / n
}

// median is the middle of the values, or the mean of the two in the middle.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	k := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[k]
	}
	return (sorted[k-1] + sorted[k]) / 2
}
