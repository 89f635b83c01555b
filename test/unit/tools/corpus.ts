import { readFileSync } from 'node:fs';
import path from 'node:path';

/** One case of the adversarial corpus; see its own `fields` and `conventions`. */
export interface CorpusCase {
  readonly id: string;
  readonly area: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly expect: string;
  readonly also_ok?: readonly string[];
  readonly platform?: readonly string[];
  readonly limit_ms?: number;
  readonly rules?: readonly Readonly<Record<string, unknown>>[];
  readonly capabilities?: unknown;
  readonly setup?: Readonly<Record<string, unknown>>;
  readonly assertions?: readonly string[];
}

export function readCorpus(area: string): readonly CorpusCase[] {
  const file = path.join(import.meta.dirname, '../../fixtures/adversarial.json');
  const { cases }: { readonly cases: readonly CorpusCase[] } = JSON.parse(
    readFileSync(file, 'utf8'),
  );
  return cases.filter((each) => each.area === area);
}

/** The corpus's `scope` is our `source` (decision 13). */
export function rulesOf({ rules = [] }: CorpusCase): readonly unknown[] {
  return rules.map(({ scope, ...rule }) => ({ ...rule, source: scope }));
}
