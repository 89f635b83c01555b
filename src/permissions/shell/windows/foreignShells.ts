import type { Act, CommandAct, ShellAnalysis } from '../acts.ts';
import { toProgramName } from '../bash/command.ts';
import { LOST, unite } from '../folders.ts';
import { toKnownName } from '../programs/knownNames.ts';
import { TOO_DEEP } from '../walkState.ts';
import { toText } from '../words.ts';
import { analyzeCmd } from './cmd.ts';

/** Maximum nesting of shells that are analyzed. A line with deeper ones is denied, since a deny in it could be missed. */
const NESTING_LIMIT = 4;

/**
 * Adds the commands that a line passes to another kind of shell: `powershell -c "rm x"` in bash,
 * `cmd /c del x`. Deny rules apply to them, allow rules don't.
 */
export async function addForeignShells(
  analysis: ShellAnalysis,
  cwd: string | undefined,
  platform: NodeJS.Platform,
  nesting = 0,
): Promise<ShellAnalysis> {
  const found: ShellAnalysis[] = [];
  for (const act of analysis.acts) {
    const inner = act.kind === 'command' ? await analyzeInner(act, cwd, platform) : undefined;
    if (inner === undefined) continue;
    if (nesting === NESTING_LIMIT) return { ...analysis, refused: TOO_DEEP };
    found.push(await addForeignShells(inner, cwd, platform, nesting + 1));
  }
  if (found.length === 0) return analysis;
  const refused = [analysis, ...found].find((each) => each.refused !== undefined)?.refused;
  return {
    ...analysis,
    acts: [...analysis.acts, ...found.flatMap(({ acts }) => acts.map(toInner))],
    doubts: [...analysis.doubts, 'The command starts a shell with a syntax of its own.'],
    ...(refused !== undefined && { refused }),
  };
}

/** The other shell's folder isn't certain. */
function toInner(act: Act): Act {
  if (act.kind === 'command') return { ...act, tightensOnly: true };
  return act.kind === 'file' ? { ...act, folders: unite(act.folders, LOST) } : act;
}

async function analyzeInner(
  { words }: CommandAct,
  cwd: string | undefined,
  platform: NodeJS.Platform,
): Promise<ShellAnalysis | undefined> {
  const [first, ...rest] = words;
  const name = toKnownName(toProgramName(first?.value ?? '', platform)).toLowerCase();
  const texts = rest.map(toText);
  if (name === 'cmd') {
    const line = textOfCmd(texts);
    return line === undefined ? undefined : withShell(analyzeCmd(line, cwd, platform), 'cmd');
  }
  if (name !== 'powershell' && name !== 'pwsh') return undefined;
  const line = textOfPowerShell(texts);
  if (line === undefined) return undefined;
  const { analyzePowerShell } = await import('./powershell.ts');
  return withShell(await analyzePowerShell(line, cwd, platform), 'pwsh');
}

function withShell(analysis: ShellAnalysis, shell: 'pwsh' | 'cmd'): ShellAnalysis {
  const acts = analysis.acts.map((act) => (act.kind === 'command' ? { shell, ...act } : act));
  return { ...analysis, acts };
}

/** The words after `/c`, which Windows shells also write as `//c`. */
function textOfCmd(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => /^\/{1,2}[ckr]/i.test(word));
  if (at < 0) return undefined;
  const own = words[at]?.replace(/^\/{1,2}[ckr]/i, '') ?? '';
  return [own, ...words.slice(at + 1)].join(' ').trim();
}

/** Prefixes of PowerShell's options with a value. */
const VALUED =
  /^(ep|ex|wd|wo|w|v|i(nputformat)?|o(utputformat)?|config|settings|custompipe|psconsole|encodeda|ea)/;

/** The line passed to PowerShell; undefined for a script or standard input. */
function textOfPowerShell(words: readonly string[]): string | undefined {
  for (let at = 0; ; at += 1) {
    const word = words[at];
    if (word === undefined) return undefined;
    const option = /^(?:--?|[/\u2013\u2014\u2015])([a-z]*)$/i.exec(word);
    if (option === null) return words.slice(at).join(' ');
    const name = (option[1] ?? '').toLowerCase();
    if (name === '' || 'file'.startsWith(name)) return undefined;
    if (name === 'cwa' || 'commandwithargs'.startsWith(name)) return words.slice(at + 1).join(' ');
    if (name === 'ec' || 'encodedcommand'.startsWith(name)) return decode(words[at + 1] ?? '');
    if (VALUED.test(name)) at += 1;
  }
}

function decode(text: string): string {
  return Buffer.from(text, 'base64').toString('utf16le');
}
