"""The software that is crawled: each module fills and serves one engine, in the engine's own environment."""
