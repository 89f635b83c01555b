import { findNodeAtLocation, getNodeValue, type Node, parseTree } from 'jsonc-parser';
import { isRulesPath } from '../base/rulesPath.ts';
import type { Diagnostic } from '../declared/manifest/diagnostic.ts';
import { parseRules, type RuleProblem } from '../permissions/rules/parseRules.ts';
import type { OpenText } from './manifests.ts';

/** The parts of a diagnostic. */
export type RuleDiagnostic = Pick<
  Diagnostic,
  'offset' | 'length' | 'severity' | 'message' | 'hint'
>;

/**
 * The invalid rules, each with its position (spec decision 8). Undefined when the document is not a
 * settings file or has no rules.
 */
export function ruleFaults({
  uri,
  getText,
}: Pick<OpenText, 'uri' | 'getText'>): readonly RuleDiagnostic[] | undefined {
  if (!isRulesPath(uri)) return undefined;
  const root = parseTree(getText());
  const list = root && (findRules(root, []) ?? findRules(root, ['settings']));
  if (list === undefined) return undefined;
  return parseRules(getNodeValue(list), 'project').problems.map((problem) => {
    const { offset, length } = findNode(list, problem);
    return { offset, length, severity: 'error', message: problem.message, hint: HINT };
  });
}

const HINT = 'Until it is fixed, it can only turn an allow into an ask.';

/** A `.code-workspace` file nests its settings one level deeper. */
function findRules(root: Node, above: readonly string[]): Node | undefined {
  return findNodeAtLocation(root, [...above, 'gatehouse.permissions']);
}

/** The invalid field, else its rule, else the whole list. */
function findNode(list: Node, { index, field }: RuleProblem): Node {
  const rule = list.children?.[index];
  const value = rule && field !== undefined ? findNodeAtLocation(rule, [field]) : undefined;
  return value ?? rule ?? list;
}
