"""What a flipped bit does to a GPU program.

``open`` reads the stores of campaigns; ``campaign``, ``run``, ``inject`` and ``ace`` do
what the commands of the program ``upset`` do, in this process and with the same code.
``compare`` tells what differs between two stores.
"""

from ._error import Error
from ._upset import VERSION as __version__
from .commands import ace, campaign, inject, run
from .comparison import Comparison, compare
from .numbers import Interval, interval, palette
from .report import Report
from .results import Bounds, Experiment, Run
from .store import Plan, Store, open

__all__ = [
    "Bounds",
    "Comparison",
    "Error",
    "Experiment",
    "Interval",
    "Plan",
    "Report",
    "Run",
    "Store",
    "__version__",
    "ace",
    "campaign",
    "compare",
    "inject",
    "interval",
    "open",
    "palette",
    "run",
]
