"""The experiments of the SemText paper (Zhang & Wang 2022, section IV), each a module with ``run(pages, trials)``."""
