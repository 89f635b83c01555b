import type { Action } from '../../../permissions/rules/rule.ts';
import { type Entry, leaveOut, REASONS, type RuleTarget } from './entry.ts';

/** A text that another product compares with a command. */
export interface WrittenCommand {
  readonly written: string;
  readonly action: Action;
  /** The text; `*` is a wildcard unless `literal`. */
  readonly text: string;
  /** Whether more words may follow the text. */
  readonly open: boolean;
  readonly literal?: boolean;
  /** A `*` as the last word matches no word as well, even after other wildcards. */
  readonly optionalTail?: boolean;
}

/** Converts a pattern for commands. An allow never matches more than it, a deny or ask never less. */
export function toCommandEntry(command: WrittenCommand): Entry {
  return command.action === 'allow' ? toAllow(command) : toTightening(command);
}

/** Characters that mean something to a shell, so that they separate, quote or expand words. */
const SHELL = /[|&;<>()$`"'\\\n\r\t{}[\]!#~?]/;

const ANY: readonly RuleTarget[] = [{ permission: 'bash', pattern: '*' }];

function toAllow(command: WrittenCommand): Entry {
  const { written, literal = false } = command;
  const drop = (reason: string) => leaveOut(written, 'allow', reason);
  const text = toText(command);
  if (/^[*\s]*$/.test(text)) return drop(REASONS.allCommands);
  if (SHELL.test(text)) {
    return drop('A rule is about one command, and compares it after quotes are removed.');
  }
  const wild = literal ? -1 : text.indexOf('*');
  const head = wild < 0 ? text : text.slice(0, wild);
  if (head === '') return drop('It would allow any program.');
  if ((command.open || wild >= 0) && runsAnything(head, wild >= 0)) {
    return drop(`\`${head.trim()}\` runs any code that it is given.`);
  }
  // `ls*` also starts `lsof`: the name of the program has to be whole.
  if (wild >= 0 && !head.includes(' ')) {
    const reason = 'The name of the program has to be whole.';
    return { written, action: 'allow', targets: [bash(`${head} *`)], reason };
  }
  return { written, action: 'allow', ...toTargets(text, wild, command) };
}

/** The text with single spaces; with wildcards, an open end is one more. */
function toText({ text, open, literal = false }: WrittenCommand): string {
  const trimmed = text.trim().replace(/ +/g, ' ');
  if (literal) return trimmed;
  // Only a single wildcard as the last word may be missing.
  const plain = trimmed.replace(/ \*{2,}$/, ' * *').replace(/\*{2,}/g, '*');
  return open && /\*.*[^*]$/.test(plain) ? `${plain} *` : plain;
}

function toTargets(
  text: string,
  wild: number,
  { literal = false, open, optionalTail = open }: WrittenCommand,
): Pick<Entry, 'targets' | 'except'> {
  if (wild < 0) {
    const pattern = literal ? text.replaceAll('*', '\\*') : text;
    // A pattern without a wildcard has an open end. An exact command asks when more words follow.
    if (open) return { targets: [bash(`${pattern} *`)] };
    return { targets: [bash(pattern)], except: [bash(`${pattern} * *`)] };
  }
  const several = text.indexOf('*') !== text.length - 1;
  const needsWord = several && text.endsWith(' *') && !optionalTail;
  return { targets: [bash(needsWord ? `${text} *` : text)] };
}

function toTightening(command: WrittenCommand): Entry {
  const { written, action, literal = false } = command;
  const text = toText(command);
  const wild = literal ? text.replaceAll('*', '\\*') : text;
  if (/^[*\s]*$/.test(wild)) return toWide(command);
  // Quotes are compared after they are removed, so any text may be in their place.
  const unquoted = wild.replace(/["'?]|\\(?!\*)/g, '*');
  const end = unquoted.search(/[|&;<>()$`\n\r{}]/);
  if (end < 0) return { written, action, targets: [bash(unquoted.trim())] };
  const start = unquoted.slice(0, end).trim().replace(/\*$/, '');
  const reason = 'A rule is about one command, so its first one asks, whatever follows.';
  if (start === '') {
    return leaveOut(written, action, 'A rule is about one command, not about a line.', ANY);
  }
  return { written, action: 'ask', targets: [bash(`${start}*`)], reason };
}

function toWide({ written, action }: WrittenCommand): Entry {
  if (action === 'ask') return leaveOut(written, action, REASONS.asksAnyway, ANY);
  return { written, action, targets: ANY };
}

/** Programs that run what their arguments say, in any language. */
const RUNNERS = new Set([
  ...['sh', 'bash', 'dash', 'zsh', 'fish', 'ksh', 'csh', 'tcsh', 'pwsh', 'powershell', 'cmd'],
  ...['python', 'python2', 'python3', 'py', 'node', 'nodejs', 'deno', 'bun', 'ruby', 'perl', 'php'],
  ...['lua', 'rscript', 'osascript', 'awk', 'gawk', 'mawk', 'julia', 'tclsh', 'ts-node', 'tsx'],
  ...['env', 'sudo', 'doas', 'su', 'xargs', 'parallel', 'nohup', 'time', 'timeout', 'nice', 'exec'],
  ...['eval', 'source', '.', 'command', 'builtin', 'ssh', 'watch', 'script', 'strace', 'busybox'],
  ...['npx', 'bunx', 'pnpx', 'uvx', 'pipx', 'setsid', 'stdbuf', 'flock', 'chroot', 'unshare'],
]);

/** Whether the literal start names only such a program, or one with options. */
function runsAnything(head: string, wild: boolean): boolean {
  const [program = '', ...words] = head.trim().split(' ');
  const name = (program.split('/').at(-1) ?? '').toLowerCase().replace(/\.exe$/, '');
  if (!RUNNERS.has(name) && !RUNNERS.has(name.replace(/[\d.]+$/, ''))) return false;
  // In `python scr*`, the last word isn't whole.
  const whole = wild && !head.endsWith(' ') ? words.slice(0, -1) : words;
  return whole.at(-1)?.startsWith('-') ?? true;
}

function bash(pattern: string): RuleTarget {
  return { permission: 'bash', pattern };
}
