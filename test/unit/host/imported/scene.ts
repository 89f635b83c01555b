import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { run } from '../../../../src/host/cli/commands.ts';
import { importRules, type RuleImport } from '../../../../src/host/imported/importRules.ts';
import type { ExistingRule } from '../../../../src/host/imported/settle.ts';
import type { Rule } from '../../../../src/permissions/rules/rule.ts';

/** Files by their name below a base folder; texts as they are, values as JSON. */
export type Files = Readonly<Record<string, unknown>>;

/** The names of the settings files of the products. */
export const NAMES = {
  claude: 'home/.claude/settings.json',
  claudeWorkspace: 'workspace/.claude/settings.json',
  editor: 'home/.config/Code/User/settings.json',
  copilot: 'home/.copilot/settings.json',
  copilotApprovals: 'home/.copilot/permissions-config.json',
  openCode: 'home/.config/opencode/opencode.json',
  cline: 'home/.cline/data/globalState.json',
  clineServers: 'home/.cline/data/settings/cline_mcp_settings.json',
} as const;

const bases: string[] = [];
process.once('exit', () => {
  for (const each of bases) rmSync(each, { recursive: true, force: true, maxRetries: 5 });
});

/** A new base folder with `home` and `workspace`. */
export function plant(files: Files = {}): string {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'imported-')));
  bases.push(base);
  mkdirSync(path.join(base, 'workspace'), { recursive: true });
  write(base, files);
  return base;
}

export function write(base: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(base, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  }
}

/** Imports what lies below the base folder. `trusted`: whether the workspace's files are read. */
export function importFrom(
  base: string,
  existing: readonly ExistingRule[] = [],
  trusted = true,
): RuleImport {
  const home = path.join(base, 'home');
  const workspace = trusted ? path.join(base, 'workspace') : undefined;
  return importRules({ env: { HOME: home }, platform: 'linux', home, workspace }, existing);
}

/** Rules as user settings have them. */
export function toRules({ rules }: Pick<RuleImport, 'rules'>): readonly Rule[] {
  return rules.map(({ permission, pattern, action }) => ({
    ...{ permission, pattern, action },
    source: 'project',
  }));
}

/** The rules as lines, for comparisons. */
export function toLines({ rules }: Pick<RuleImport, 'rules'>): readonly string[] {
  return rules.map(({ permission, pattern, action }) => `${action} ${permission} ${pattern}`);
}

/** Runs `gatehouse rules` in the workspace below the base folder. */
export async function gatehouse(base: string, ...args: readonly string[]) {
  const stdout = new PassThrough({ encoding: 'utf8' });
  const stderr = new PassThrough({ encoding: 'utf8' });
  const env = { HOME: path.join(base, 'home'), GATEHOUSE_DATA: path.join(base, 'data') };
  const config = { XDG_CONFIG_HOME: path.join(base, 'home/.config') };
  const io = { args: ['rules', ...args], stdin: Readable.from([]), stdout, stderr };
  const code = await run({ ...io, env: { ...env, ...config }, cwd: path.join(base, 'workspace') });
  return { code, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') };
}
