"""Reports: a result file as one page that opens anywhere."""

from samapprox.batch.report.page import Report, make_report, write_report
from samapprox.batch.report.selection import Selection

__all__ = ["Report", "Selection", "make_report", "write_report"]
