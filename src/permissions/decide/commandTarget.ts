import { listGitSpellings } from '../patterns/git/gitSpellings.ts';
import type { Policy } from '../rules/policy.ts';
import type { Subject } from '../rules/subject.ts';
import type { CommandAct } from '../shell/acts.ts';
import { toProgramName } from '../shell/bash/command.ts';
import { authorityEnd, remoteEnd } from '../shell/hosts.ts';
import { endsOptions } from '../shell/optionEnd.ts';
import { toKnownName, toWindowsShell } from '../shell/programs/knownNames.ts';
import { getSynonyms } from '../shell/windows/powershellTable.ts';
import { joinWords } from '../shell/words.ts';
import { type CommandTarget, decide, type RuleDecision } from './decide.ts';
import type { Evaluation } from './evaluation.ts';
import { listSpellings } from './subcommandNames.ts';

/** The tool that runs a command, as rules name it. */
export type Asker = Pick<Subject, 'permission' | 'capability'>;

/** What the rules decide about one simple command. */
export function decideCommand(
  command: CommandTarget,
  subject: Asker,
  compiled: Evaluation,
): RuleDecision {
  const { permission: tool, capability } = subject;
  const rules =
    command.foldsCase === true
      ? compiled.rules
      : compiled.index.find(command.text, command.aliases, command.inFolder?.text);
  return decide({ tool, capability, match: 'command', command }, rules, compiled.policy.platform);
}

/** The text that patterns are matched against, and its other spellings (corpus C3). */
export function toTarget(act: CommandAct, text: string, compiled: Evaluation): CommandTarget {
  const { inFolder } = act;
  const target = toOwnTarget(act, text, compiled);
  if (inFolder === undefined) return target;
  return { ...target, inFolder: toOwnTarget(inFolder, joinWords(inFolder.words), compiled) };
}

function toOwnTarget(
  {
    words,
    risky,
    inner,
    hosts,
    remotes: others,
    shell: own,
  }: Pick<CommandAct, 'words' | 'risky' | 'inner' | 'hosts' | 'remotes' | 'shell'>,
  text: string,
  compiled: Evaluation,
): CommandTarget {
  const shell = own ?? compiled.policy.shell;
  const first = words[0]?.value ?? '';
  const { platform } = compiled.policy;
  const renamed = toAliases(first, text, shell, platform);
  const rest = words.slice(1).map(({ value }) => value);
  const named = [toProgramName(first, platform), ...rest];
  const spellings = named[0] === 'git' ? listGitSpellings(named) : listSpellings(named);
  const aliases = spellings.length === 0 ? renamed : [...renamed, ...spellings];
  const options = getOptions(words, inner);
  const ranges =
    risky.size + (hosts?.size ?? 0) + (others?.size ?? 0) === 0
      ? NO_RANGES
      : toRanges(words, risky, hosts, others);
  const target = { text, aliases, options, ...ranges };
  if (shell !== 'bash') return { ...target, foldsCase: true };
  const request = first === 'curl' && words.every(({ literal }) => literal);
  return request ? { ...target, request: words.map(({ value }) => value) } : target;
}

const NO_TEXTS: readonly string[] = [];
const NO_RANGES = { spelled: [], hosts: [], remotes: [] } as const;

/** The character ranges of the words that an allow must contain literally, and of the hosts. */
function toRanges(
  words: CommandAct['words'],
  risky: CommandAct['risky'],
  hosts: CommandAct['hosts'],
  remotes: CommandAct['remotes'],
): Pick<CommandTarget, 'spelled' | 'hosts' | 'remotes'> {
  const spelled: [number, number][] = [];
  const authorities: [number, number][] = [];
  const others: [number, number][] = [];
  let at = 0;
  words.forEach(({ value }, index) => {
    if (risky.has(index)) spelled.push([at, at + value.length]);
    const isOther = remotes?.has(index) === true;
    const end = at + (isOther ? remoteEnd(value) : authorityEnd(value));
    if (hosts?.has(index) === true) authorities.push([at, end]);
    if (isOther) others.push([at, end]);
    at += value.length + 1;
  });
  return { spelled, hosts: authorities, remotes: others };
}

/**
 * The words that start with a dash, up to `--`, except those of a command that it starts. A lone `-`
 * is standard input.
 */
function getOptions(words: CommandAct['words'], inner: CommandAct['inner']): readonly string[] {
  let found: string[] | undefined;
  for (const [index, { value }] of words.entries()) {
    if (index === 0 || inner?.has(index) === true) continue;
    if (endsOptions(words, index)) break;
    if (value.length < 2 || !value.startsWith('-')) continue;
    if (found === undefined) found = [value];
    else found.push(value);
  }
  return found ?? NO_TEXTS;
}

/**
 * Other names of the program: the basename of its path, the name in the tables, as `vim` of `vim.tiny`, the
 * case-folded name, and PowerShell's aliases.
 */
function toAliases(
  program: string,
  text: string,
  shell: Policy['shell'],
  platform: NodeJS.Platform,
): readonly string[] {
  const plain = platform === 'linux' && shell === 'bash' && !program.includes('/');
  const windows = toWindowsShell(program);
  const known = toKnownName(toProgramName(program, platform));
  // `python3.11`, also for a rule about `python3`.
  const major = program.replace(/(?<=\d)(?:\.\d+)+$/, '');
  if (plain && windows === undefined && known === program && major === program) return NO_TEXTS;
  const names = new Set([toProgramName(program, 'linux'), toProgramName(program, platform)]);
  if (windows !== undefined) names.add(windows);
  for (const name of [known, toProgramName(major, platform)]) names.add(name);
  if (platform === 'win32' || platform === 'darwin') names.add(program.toLowerCase());
  if (shell !== 'bash')
    for (const name of getSynonyms(toProgramName(program, 'win32'))) names.add(name);
  names.delete(program);
  return [...names].map((name) => name + text.slice(program.length));
}
