"""What a page costs: CPU time by stage, memory, start-up, growth with size. Loaded by `semtext benchmark` alone."""
