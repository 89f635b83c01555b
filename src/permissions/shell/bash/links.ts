import type { Act, CommandAct } from '../acts.ts';

/**
 * Why a path of the line cannot be told beforehand, when it leads through a link that the same line
 * makes: `ln -s / x; echo y > x/etc/z`. Undefined when none does.
 */
export function findOwnLink(acts: readonly Act[]): string | undefined {
  for (const [at, act] of acts.entries()) {
    if (act.kind !== 'command' || !makesLink(act)) continue;
    const operands = act.words.slice(1).map(({ value }) => value);
    const names = new Set(operands.map(toBase).filter((name) => !/^(-.*|\.*)$/.test(name)));
    const through = acts.find(
      (each, index) =>
        each.kind === 'file' &&
        // Its own operands come before it.
        (index > at || each.role === 'redirection' || !operands.includes(each.target)) &&
        [each.target, ...each.folders].some((path) => leadsThrough(path, names)),
    );
    if (through?.kind === 'file') return `${through.target} leads through a link the line makes`;
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
