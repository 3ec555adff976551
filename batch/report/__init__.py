"""Reports: a result file as one page that opens in any browser."""

from samapprox.batch.report.page import Report, make_report, write_report
from samapprox.batch.report.selection import Selection
from samapprox.support.packages import lazy_modules

__all__ = ["Report", "Selection", "make_report", "write_report"]

__getattr__, __dir__ = lazy_modules(__name__)
