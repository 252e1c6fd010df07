"""Experiments, comparisons and measurements that the documentation cites. They are not part of the installed package.

Run one in a checkout of the repository with ``python -m research.NAME --help``:

* ``comparison``: this package and other extractors on annotated pages, with intervals;
* ``ceiling``: the upper bound of any labeling of the blocks;
* ``site_evaluation``: the effect of site templates on annotated pages;
* ``comments``: readers' comments, and main texts without them;
* ``kind_folds``, ``pair_folds``, ``record_folds``: kinds, pairs and records, by models trained without the pages that
  they read;
* ``cleaneval``, ``ablation``, ``community``: tables I to III of the SemText paper (Zhang & Wang 2022, section IV);
* ``web2text_cleaneval``: Web2Text on CleanEval, as in its paper;
* ``stapi``: sections and segments, as in the STAPI paper;
* ``metadata``: title, author and date, compared with trafilatura;
* ``site_cost``: time and memory of site templates;
* ``benchmark``: what pages and crawls cost;
* ``walk``: how many files and functions of the package one page enters.

``research.peers`` lists the extractors of other packages for ``research.comparison`` and ``research.benchmark``.
"""
