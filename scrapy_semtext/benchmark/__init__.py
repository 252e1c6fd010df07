"""The costs of a page: CPU time by stage, memory, start-up, growth with size. Used by `semtext benchmark` alone."""
