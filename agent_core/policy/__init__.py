"""Pure rules that judge a call: gate, limits, loops, confidence, redaction."""
