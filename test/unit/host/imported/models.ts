import path from 'node:path';
import { minimatch } from 'minimatch';

/** What a product decides about a call by its own rules. `none`: no rule matches. */
export type Answer = 'allow' | 'ask' | 'deny' | 'none';

/** The matchers of the products, written from their documentation and sources, not from the import. */

export interface ClaudeSettings {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
}

/** Claude Code on commands joined by `&&`. */
export function askClaude(settings: ClaudeSettings, line: string): Answer {
  const answers = line.split(' && ').map((command) => {
    const matches = (rules: readonly string[] = []) =>
      rules.some((rule) => matchesClaude(/^Bash\((.*)\)$/s.exec(rule)?.[1], command));
    if (matches(settings.deny)) return 'deny';
    if (matches(settings.ask)) return 'ask';
    return matches(settings.allow) ? 'allow' : 'none';
  });
  return strictest(answers);
}

function matchesClaude(rule: string | undefined, command: string): boolean {
  if (rule === undefined) return false;
  if (rule.endsWith(':*')) {
    const prefix = rule.slice(0, -2);
    return command === prefix || command.startsWith(`${prefix} `);
  }
  if (!rule.includes('*')) return command === rule;
  return toWildcard(rule, rule.split('*').length === 2).test(command);
}

/** `*` is any text; at the end behind a space it may be missing. */
function toWildcard(pattern: string, optionalTail: boolean): RegExp {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  const tail = optionalTail && source.endsWith(' .*') ? `${source.slice(0, -3)}( .*)?` : source;
  return new RegExp(`^${tail}$`, 's');
}

/** Claude Code on a file of the workspace, whose patterns are those of `.gitignore`. */
export function askClaudeAboutFile(settings: ClaudeSettings, tool: string, file: string): Answer {
  const matches = (rules: readonly string[] = []) =>
    rules.some((rule) => {
      const [, name, pattern = ''] = /^(\w+)\((.*)\)$/.exec(rule) ?? [];
      return name === tool && matchesIgnore(pattern, file);
    });
  if (matches(settings.deny)) return 'deny';
  if (matches(settings.ask)) return 'ask';
  return matches(settings.allow) ? 'allow' : 'none';
}

function matchesIgnore(pattern: string, file: string): boolean {
  const anywhere = !pattern.includes('/');
  const text = pattern.replace(/^\.?\//, '').replace(/\/$/, '');
  const glob = anywhere ? `**/${text}` : text;
  // A folder that matches covers what is below it.
  for (let at = file; at !== '.'; at = path.dirname(at)) {
    if (matchesGlob(at, glob)) return true;
  }
  return false;
}

/** `src/**` is also about `src` itself, which is a folder. */
function matchesGlob(file: string, glob: string): boolean {
  const folder = /(?:^|\/)([^/*?]+)\/\*\*$/.test(glob) ? glob.slice(0, -'/**'.length) : glob;
  return [glob, folder].some((each) =>
    minimatch(file, each, { dot: true, nobrace: true, noext: true }),
  );
}

/** VS Code on commands joined by `&&`. */
export function askEditor(rules: Readonly<Record<string, unknown>>, line: string): Answer {
  const parsed = Object.entries(rules).flatMap(([key, value]) => {
    const { approve, matchCommandLine = false } =
      typeof value === 'object' && value !== null
        ? (value as { approve?: unknown; matchCommandLine?: boolean })
        : { approve: value };
    return typeof approve === 'boolean' ? [{ key, approve, matchCommandLine }] : [];
  });
  const find = (text: string, approve: boolean, whole: boolean) =>
    parsed.some(
      (rule) =>
        rule.approve === approve &&
        rule.matchCommandLine === whole &&
        toEditorRegex(rule.key).test(text),
    );
  const commands = line.split(' && ');
  if (find(line, false, true) || commands.some((each) => find(each, false, false))) return 'ask';
  const allowed = commands.every((each) => find(each, true, false)) || find(line, true, true);
  return allowed ? 'allow' : 'none';
}

function toEditorRegex(key: string): RegExp {
  const [, source, flags = ''] = /^\/(.+)\/([dgimsuvy]*)$/s.exec(key) ?? [];
  if (source !== undefined) return new RegExp(source, flags.replaceAll('g', ''));
  if (key === '') return /(?!.*)/;
  const escaped = key.replace(/[\\{}*+?|^$.[\]()]/g, '\\$&');
  if (!/[\\/]/.test(key)) return new RegExp(`^${escaped}\\b`);
  return new RegExp(
    `^(?:\\.[/\\\\])?${key
      .replace(/[/\\]/g, '\0')
      .replace(/[{}*+?|^$.[\]()]/g, '\\$&')
      .replaceAll('\0', '[/\\\\]')}\\b`,
  );
}

/** VS Code on a file: the last pattern that matches, and without one the edit is approved. */
export function askEditorAboutFile(rules: Readonly<Record<string, boolean>>, file: string): Answer {
  let answer: Answer = 'none';
  for (const [pattern, approved] of Object.entries(rules)) {
    if (matchesGlob(file, pattern)) answer = approved ? 'allow' : 'ask';
  }
  return answer;
}

/** OpenCode: the last rule that matches. */
export function askOpenCode(rules: Readonly<Record<string, string>>, target: string): Answer {
  let answer: Answer = 'none';
  for (const [pattern, action] of Object.entries(rules)) {
    const folder = /\w\/\*\*?$/.test(pattern) && pattern.replace(/\/\*+$/, '') === target;
    if (toWildcard(pattern, true).test(target) || folder) answer = action as Answer;
  }
  return answer;
}

/** OpenCode on commands joined by `&&`, each of which is asked about. */
export function askOpenCodeAboutLine(
  rules: Readonly<Record<string, string>>,
  line: string,
): Answer {
  return strictest(line.split(' && ').map((command) => askOpenCode(rules, command)));
}

export function strictest(answers: readonly Answer[]): Answer {
  const order: readonly Answer[] = ['deny', 'ask', 'none'];
  return order.find((each) => answers.includes(each)) ?? 'allow';
}
