"""Measurements that documents refer to, each run by ``python -m``; none is used by the package itself."""
