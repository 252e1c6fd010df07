"""Measurements that documents refer to; none is used by the package itself.

Those of the SemText paper (Zhang & Wang 2022, section IV) are run by ``semtext experiment``, others by ``python -m``.
"""
