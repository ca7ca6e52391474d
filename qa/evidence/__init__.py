"""What of the passages found answers a question, sentence by sentence, and how surely: no language model needed."""
