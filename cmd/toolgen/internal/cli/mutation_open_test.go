package cli

// openMutations are faults of which toolgen says something else than what helps, with the reason.
func openMutations() []mutation {
	return []mutation{
		// CUE keeps no trace of which texts make up the cycle; the finding stands at one of them, and says that it is not
		// concrete.
		{"texts that need each other, said as such",
			each(sub(jobsCue, "tools: job_kill…purpose: \"", "purpose: \"\\(clauses.error) "), sub(jobsCue, "tools: job_kill…error:   \"", "error:   \"\\(clauses.purpose) ")),
			finds("text-reference", jobsCue, "tools: job_kill…‸error:").says("purpose")},
	}
}
