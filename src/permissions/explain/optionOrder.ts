import { coversCommand } from '../patterns/commandPattern.ts';
import type { CompiledRule } from '../rules/compiledRule.ts';

/**
 * The same order, but every rule of commands that has an option stands behind the narrower ones. Their
 * lengths don't tell: `rm -rf` also covers `rm -r -f x`, and `--force-with-lease` its abbreviations.
 * `areCommands` says whether two rules
 * may change places.
 */
export function orderByOptions<Each extends { readonly compiled: CompiledRule }>(
  sorted: readonly Each[],
  areCommands: (a: Each, b: Each) => boolean,
): readonly Each[] {
  const ordered = [...sorted];
  // From the last one on, so that whatever a rule is moved behind is in its final position.
  for (const each of [...sorted].reverse()) {
    if (!hasOption(each.compiled)) continue;
    const at = ordered.indexOf(each);
    const to = ordered.findLastIndex(
      (other, index) =>
        index > at && areCommands(each, other) && isNarrower(other.compiled, each.compiled),
    );
    if (to < 0) continue;
    ordered.splice(at, 1);
    ordered.splice(to, 0, each);
  }
  return ordered;
}

function hasOption(rule: CompiledRule): boolean {
  return / -./.test(getHead(rule));
}

function getHead(rule: CompiledRule): string {
  return rule.command()?.parts[0] ?? '';
}

/** Only commands of one program can be compared, which is looked at first because it costs nothing. */
function isNarrower(a: CompiledRule, b: CompiledRule): boolean {
  const program = getHead(b).split(' ', 1)[0] ?? '';
  const [narrow, wide] = [a.command(), b.command()];
  if (narrow === undefined || wide === undefined || !getHead(a).startsWith(program)) return false;
  return coversCommand(wide, narrow) && !coversCommand(narrow, wide);
}
