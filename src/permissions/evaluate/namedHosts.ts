import { toCodeSpan } from '../../base/codeSpan.ts';
import { decide } from '../decide/decide.ts';
import type { Evaluation } from '../decide/evaluation.ts';
import { canonicalHost } from '../patterns/hostPattern.ts';
import { type Rule, toRuleSpan } from '../rules/rule.ts';
import { HOST_ASKERS } from '../rules/watchedHosts.ts';
import type { CommandAct } from '../shell/acts.ts';

/**
 * Finds a host that an ask or deny rule covers among the words of a program that may contact it in
 * an unknown way: `tool --host=evil.example`, `tool u@evil.example:path`.
 */
export function findNamedHost(
  act: CommandAct,
  compiled: Evaluation,
): { readonly rule: Rule; readonly why: string } | undefined {
  const { names, endings } = compiled.watchedHosts;
  if (names.size === 0 && endings.length === 0) return undefined;
  const seen = new Set<string>();
  for (const [index, { value }] of act.words.entries()) {
    // Words with a known host are evaluated as hosts; the rest of such a word is a path.
    if (index === 0 || act.hosts?.has(index) === true) continue;
    for (const written of hostsIn(value)) {
      if (seen.has(written)) continue;
      seen.add(written);
      const host = canonicalHost(written);
      if (host === undefined) continue;
      if (!names.has(host) && !endings.some((ending) => host.endsWith(ending))) continue;
      const rule = findTight(host, getPort(written), compiled);
      if (rule === undefined) continue;
      const why = `The command may contact ${toCodeSpan(host)}, which the rule ${toRuleSpan(rule)} covers.`;
      return { rule, why };
    }
  }
  return undefined;
}

/** Every substring that may be a host, with and without the letter of a short option. */
function* hostsIn(value: string): Generator<string> {
  for (const separator of [/[^\p{L}\p{N}\p{M}._\-\u3002\uFF0E\uFF61]+/u, /[^\p{L}\p{N}.:-]+/u]) {
    for (const run of value.split(separator)) {
      if (run === '') continue;
      yield run;
      if (!run.startsWith('-')) continue;
      const text = run.replace(/^-+/, '');
      yield text;
      yield text.slice(1);
    }
  }
}

/** The port after the host, or 443. */
function getPort(written: string): number {
  return Number(/:(\d{1,5})$/.exec(written)?.[1] ?? 443);
}

function findTight(host: string, port: number, compiled: Evaluation): Rule | undefined {
  const found = HOST_ASKERS.map((tool) =>
    decide(
      { tool, capability: 'net.fetch', match: 'host', host, port },
      compiled.rules,
      compiled.policy.platform,
    ),
  ).filter(({ rule, action }) => rule !== undefined && action !== 'allow');
  return found.find(({ action }) => action === 'deny')?.rule ?? found[0]?.rule;
}
