// Parts of the page: what draws each kind of document.

import {atlasSection} from './atlas_section.js';
import {compareSection} from './compare_section.js';
import {costSection} from './cost_section.js';
import {curvesSection} from './curves_section.js';
import {readDocuments} from './data.js';
import {designSection} from './design_section.js';
import {questionOf} from './details.js';
import {explainSection, gemmSection} from './gemm_section.js';
import {genericSection} from './generic_section.js';
import {paperSection} from './paper_section.js';
import {patternsSection} from './patterns_section.js';
import {studySection} from './study_section.js';
import {sweepSection} from './sweep_section.js';
import {ttaSection} from './tta_section.js';
import {validationSection} from './validation_section.js';

const makers = {
  'stcsim.atlas/1': atlasSection,
  'stcsim.study/2': studySection,
  'stcsim.paper/2': paperSection,
  'stcsim.tta/1': ttaSection,
  'stcsim.sweep/1': sweepSection,
  'stcsim.design/1': designSection,
  'stcsim.patterns/1': patternsSection,
  'stcsim.compare/1': compareSection,
  'stcsim.gemm/1': gemmSection,
  'stcsim.explain/2': explainSection,
  'stcsim.cost/1': costSection,
  'stcsim.curves/1': curvesSection,
  'stcsim.validation/1': validationSection,
};
const order = Object.keys(makers);

function explanationsOf(documents) {
  const all = documents.flatMap((one) => (one.schema === 'stcsim.explain/2' ? [one] : one.explanations ?? []));
  return new Map(all.map((one) => [questionOf(one), one]));
}

/** Behind the ids of the sections of a document: '' of the first of its kind, '-2' of the second. */
function suffixOf(documents, i) {
  const before = documents.slice(0, i).filter((one) => one.schema === documents[i].schema).length;
  return before === 0 ? '' : `-${before + 1}`;
}

/** @param text JSON of the documents, as the program embeds it @returns {documents, parts: [{answers, element}]}, the parts in their order */
export function partsOf(text) {
  const documents = readDocuments(text);
  const explanations = explanationsOf(documents);
  const rank = (one) => (order.includes(one.schema) ? order.indexOf(one.schema) : order.length);
  const sorted = [...documents].sort((a, b) => rank(a) - rank(b));
  return {documents, parts: sorted.map((one, i) =>
    (makers[one.schema] ?? genericSection)(one, {explanations, suffix: suffixOf(sorted, i)}))};
}
