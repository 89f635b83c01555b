import { toCodeSpan } from '../../../base/codeSpan.ts';
import type { Act, CommandAct } from '../acts.ts';

/**
 * Why a path of the line can't be resolved in advance: it goes through a link that the same line
 * creates, as in `ln -s / x; echo y > x/etc/z`. Undefined if none does.
 */
export function findOwnLink(acts: readonly Act[]): string | undefined {
  for (const [at, act] of acts.entries()) {
    if (act.kind !== 'command' || !makesLink(act)) continue;
    const operands = act.words.slice(1).map(({ value }) => value);
    const names = new Set(operands.map(toBase).filter((name) => !/^(-.*|\.*)$/.test(name)));
    const through = acts.find(
      (each, index) =>
        each.kind === 'file' &&
        // The operands of the linking command itself precede the link.
        (index > at || each.role === 'redirection' || !operands.includes(each.target)) &&
        [each.target, ...each.folders].some((path) => leadsThrough(path, names)),
    );
    if (through?.kind === 'file')
      return `${toCodeSpan(through.target)} goes through a link that the same command creates.`;
  }
  return undefined;
}

function makesLink({ words, tightensOnly }: CommandAct): boolean {
  if (tightensOnly === true) return false;
  const name = toBase(words[0]?.value ?? '');
  if (name === 'ln' || name === 'gln' || name === 'link') return true;
  return name === 'cp' && words.some(({ value }) => /^(-[a-zA-Z]*s|--sym\w*)/.test(value));
}

function leadsThrough(path: string, names: ReadonlySet<string>): boolean {
  return path.split('/').some((name) => names.has(name));
}

function toBase(path: string): string {
  const trimmed = path.replace(/\/+$/, '');
  return trimmed.slice(trimmed.lastIndexOf('/') + 1);
}
