import { type CommandTarget, type Decision, decide } from './decide.ts';
import { isFree, judgeFile, judgeHost } from './judgeTouch.ts';
import type { Law } from './law.ts';
import { findNamedCommand } from './namedCommands.ts';
import { findNamedHost } from './namedHosts.ts';
import type { Policy } from './policy.ts';
import { createSeen, type Seen } from './seenActs.ts';
import type { Act, CommandAct, ShellAnalysis } from './shell/acts.ts';
import { analyseCmd } from './shell/cmd.ts';
import { toProgramName } from './shell/command.ts';
import { authorityEnd } from './shell/hosts.ts';
import { toWindowsShell } from './shell/knownNames.ts';
import { synonymsOf } from './shell/powershellTable.ts';
import { analyseBash } from './shell/walk.ts';
import { joinWords } from './shell/words.ts';
import type { Subject } from './subject.ts';
import { toVerdict, type Verdict } from './verdict.ts';
import { watchLine } from './watch.ts';

/** Reads a whole command line, to judge each simple command, file and host by itself (C2, C6). */
export async function prepareCommand(
  subject: Subject,
  policy: Policy,
): Promise<(law: Law) => readonly Verdict[]> {
  const analysis = await analyse(subject.target, policy);
  return (law) => judgeLine(analysis, subject, law);
}

function judgeLine(analysis: ShellAnalysis, subject: Subject, law: Law): readonly Verdict[] {
  if (analysis.refused !== undefined) {
    return [toVerdict(subject, 'deny', undefined, `It is denied: ${analysis.refused}.`)];
  }
  const seen = createSeen();
  const verdicts: Verdict[] = [];
  for (const act of analysis.acts) {
    const verdict = judgeAct(act, subject, law, seen);
    if (verdict !== undefined) verdicts.push(verdict);
  }
  verdicts.push(...watchLine(analysis.acts, law));
  // A line that runs no command is still a call: the rules are asked about its text.
  if (verdicts.length === 0) verdicts.push(judgeWhole(subject, law));
  const [doubt] = analysis.doubts;
  if (doubt === undefined) return verdicts;
  const whole = toVerdict(subject, 'ask', undefined, `It is not certain what runs: ${doubt}.`);
  return [
    ...verdicts,
    isUnprovable(law) ? { ...whole, refused: `${doubt}, so it cannot be proved` } : whole,
  ];
}

async function analyse(line: string, policy: Policy): Promise<ShellAnalysis> {
  const analysis = await analyseOwn(line, policy);
  if (analysis.refused !== undefined || !FOREIGN.test(line.replace(/["'`^\\]/g, '')))
    return analysis;
  const { addForeignShells } = await import('./shell/foreignShells.ts');
  return addForeignShells(analysis, policy.places.cwd, policy.platform);
}

/** A line without these names starts no such shell by a name that can be read; the others ask. */
const FOREIGN = /pwsh|powershell|cmd/i;

async function analyseOwn(
  line: string,
  { shell, platform, places }: Policy,
): Promise<ShellAnalysis> {
  if (shell === 'bash') return analyseBash(line, places.cwd, platform);
  if (shell === 'cmd') return analyseCmd(line, places.cwd, platform);
  const { analysePowerShell } = await import('./shell/powershell.ts');
  return analysePowerShell(line, places.cwd, platform);
}

function judgeAct(act: Act, subject: Subject, law: Law, seen: Seen): Verdict | undefined {
  if (act.kind === 'command') return judgeSimple(act, subject, law, seen);
  if (act.kind === 'file') {
    return isFree(act, law) || seen.has(act, act.target) ? undefined : judgeFile(act, law);
  }
  return seen.has(act, act.url) ? undefined : judgeHost(act, law);
}

function judgeSimple(act: CommandAct, subject: Subject, law: Law, seen: Seen): Verdict | undefined {
  if (act.tightensOnly === true && !law.tightensCommands) return undefined;
  const text = joinWords(act.words);
  if (seen.has(act, text)) return undefined;
  const decision = decideCommand(toTarget(act, text, law), subject, law);
  const shown = { permission: subject.permission, target: text };
  if (act.tightensOnly === true) {
    const counts = decision.rule !== undefined && decision.action !== 'allow';
    return counts ? toVerdict(shown, decision.action, decision.rule) : undefined;
  }
  const named = decision.action === 'allow' ? judgeNamed(act, subject, shown, law) : undefined;
  const verdict = named ?? sayDecision(act, decision, shown);
  const refused = findRefusal(act, law);
  return refused === undefined ? verdict : { ...verdict, refused };
}

type Shown = Pick<Subject, 'permission' | 'target'>;

function sayDecision(act: CommandAct, decision: Decision, shown: Shown): Verdict {
  if (act.doubt !== undefined && decision.action === 'allow') {
    return toVerdict(shown, 'ask', undefined, `It is not certain what runs: ${act.doubt}.`);
  }
  const why = sayUncovered(act, decision, shown.target);
  const verdict = toVerdict(shown, decision.action, decision.rule, why);
  return act.doubt === undefined ? { ...verdict, source: { kind: 'command', act } } : verdict;
}

/** A host, or a command, that a rule is about, among the words of a program that may use it. */
function judgeNamed(act: CommandAct, subject: Asker, shown: Shown, law: Law): Verdict | undefined {
  const named =
    (act.namesHosts === true ? findNamedHost(act, law) : undefined) ??
    (act.mayLaunch === true ? findNamedCommand(act, subject, law) : undefined);
  return named === undefined ? undefined : toVerdict(shown, 'ask', named.rule, named.why);
}

function decideCommand(command: CommandTarget, subject: Asker, law: Law): Decision {
  const { permission: tool, capability } = subject;
  const rules =
    command.foldsCase === true ? law.rules : law.index.find(command.text, command.aliases);
  return decide({ tool, capability, match: 'command', command }, rules, law.policy.platform);
}

type Asker = Pick<Subject, 'permission' | 'capability'>;

function judgeWhole(subject: Subject, law: Law): Verdict {
  const text = subject.target.trim();
  const decision = decideCommand(
    { text, aliases: [], spelled: [[0, text.length]], hosts: [], options: [] },
    subject,
    law,
  );
  const verdict = toVerdict(subject, decision.action, decision.rule);
  return law.scope === undefined || law.scope.allowsAnyCommand
    ? verdict
    : { ...verdict, refused: 'a line that runs no command cannot be proved' };
}

/** Says what an allow would have to spell out, when that is why none counts. */
function sayUncovered(act: CommandAct, decision: Decision, text: string): string | undefined {
  if (decision.rule !== undefined || act.risky.size === 0) return undefined;
  const words = [...act.risky].sort((a, b) => a - b).map((index) => act.words[index]?.value ?? '');
  return `"${words.join(' ').slice(0, 200)}" runs a program or writes a file, so only a rule that spells it out may allow "${text.slice(0, 200)}".`;
}

/** Under a shell requirement every word must be literal and the program and its launcher covered (CA-20). */
function findRefusal(act: CommandAct, law: Law): string | undefined {
  if (law.scope === undefined || law.scope.allowsAnyCommand) return undefined;
  const text = joinWords(act.words);
  if (act.doubt !== undefined) return `"${text}" cannot be proved: ${act.doubt}`;
  const argv = act.words.map((word) => word.value);
  return law.scope.allowsCommand(argv)
    ? undefined
    : `the command "${text}" is not among those granted`;
}

function isUnprovable(law: Law): boolean {
  return law.scope !== undefined && !law.scope.allowsAnyCommand;
}

/** The text that patterns are matched against, and its other spellings (C3). */
function toTarget(
  { words, risky, hosts: named, shell: own }: CommandAct,
  text: string,
  law: Law,
): CommandTarget {
  const shell = own ?? law.policy.shell;
  const first = words[0]?.value ?? '';
  const aliases = toAliases(first, text, shell, law.policy.platform);
  const options = optionsOf(words);
  const { spelled, hosts } =
    risky.size === 0 && (named?.size ?? 0) === 0 ? NO_RANGES : toRanges(words, risky, named);
  const target = { text, aliases, options, spelled, hosts };
  return shell === 'bash' ? target : { ...target, foldsCase: true };
}

const NO_TEXTS: readonly string[] = [];
const NO_RANGES = { spelled: [], hosts: [] } as const;

/** Where the words stand that an allow must spell out, and the hosts. */
function toRanges(
  words: CommandAct['words'],
  risky: CommandAct['risky'],
  hosts: CommandAct['hosts'],
): Pick<CommandTarget, 'spelled' | 'hosts'> {
  const spelled: [number, number][] = [];
  const authorities: [number, number][] = [];
  let at = 0;
  words.forEach(({ value }, index) => {
    if (risky.has(index)) spelled.push([at, at + value.length]);
    if (hosts?.has(index) === true) authorities.push([at, at + authorityEnd(value)]);
    at += value.length + 1;
  });
  return { spelled, hosts: authorities };
}

/** Words that start with a dash, up to `--`; a lone `-` is standard input. */
function optionsOf(words: CommandAct['words']): readonly string[] {
  let found: string[] | undefined;
  for (const { value } of words.slice(1)) {
    if (value === '--') break;
    if (value.length < 2 || !value.startsWith('-')) continue;
    if (found === undefined) found = [value];
    else found.push(value);
  }
  return found ?? NO_TEXTS;
}

/** The basename of a path, the name as the disk folds it, and PowerShell's other names for it. */
function toAliases(
  program: string,
  text: string,
  shell: Policy['shell'],
  platform: NodeJS.Platform,
): readonly string[] {
  const plain = platform === 'linux' && shell === 'bash' && !program.includes('/');
  const windows = toWindowsShell(program);
  if (plain && windows === undefined) return NO_TEXTS;
  const names = new Set([toProgramName(program, 'linux'), toProgramName(program, platform)]);
  if (windows !== undefined) names.add(windows);
  if (platform === 'win32' || platform === 'darwin') names.add(program.toLowerCase());
  if (shell !== 'bash')
    for (const name of synonymsOf(toProgramName(program, 'win32'))) names.add(name);
  names.delete(program);
  return [...names].map((name) => name + text.slice(program.length));
}
