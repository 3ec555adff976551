/* Search results: guides and tutorials before explanations, and these before reference pages. (Sphinx declares `Scorer` by var.) */
var FIRST = { howto: 40, tutorials: 20, theory: 10 };

var Scorer = {
  score: ([page, , , , score]) => score + (FIRST[page.split("/")[0]] ?? 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
