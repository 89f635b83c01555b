import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Decision, Policy } from '../../../../src/permissions/rules/policy.ts';
import type { Rule } from '../../../../src/permissions/rules/rule.ts';
import { createReadGit } from '../../../../src/runtime/commands/readGit.ts';
import { bashCall, evaluate, policyOf, rulesOf } from '../ask.ts';

const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'gatehouse-moves-')));
process.once('exit', () => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));

/** A file, or its content; null removes it. */
export type Files = Readonly<Record<string, string | null>>;

export interface Repository {
  readonly root: string;
  git(...args: readonly string[]): string;
  write(files: Files): void;
  /** Commits these files. Returns the commit. */
  commit(files: Files): string;
  /** The decision on a line that a wildcard allows. */
  decide(line: string, more?: Partial<Policy>): Promise<Decision>;
}

/** What a machine that is busy with other tests needs at most. */
const PATIENCE = { lookMs: 60_000 } as const;

/** The decision on a line in the root of a workspace. */
export async function decideIn(
  line: string,
  root: string,
  rules: readonly Rule[],
): Promise<string> {
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const policy = policyOf(rules, { folders, readGit: createReadGit([root]), ...PATIENCE });
  return (await evaluate(bashCall(line), policy)).decision;
}

/** A new folder for a repository. */
export function makeFolder(): string {
  return mkdtempSync(path.join(base, 'r-'));
}

export function openRepository(root: string, rules: readonly string[] = []): Repository {
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', root, ...IDENTITY, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  const write = (files: Files) => {
    for (const [name, content] of Object.entries(files)) {
      const file = path.join(root, name);
      mkdirSync(path.dirname(file), { recursive: true });
      if (content === null) rmSync(file);
      else writeFileSync(file, content);
    }
  };
  return {
    root,
    git,
    write,
    commit(files) {
      write(files);
      git('add', '-A', '-f');
      git('commit', '-qm', 'x', '--allow-empty');
      return git('rev-parse', 'HEAD').trim();
    },
    decide(line, more = {}) {
      const folders = { workspace: [root], adHoc: [], cwd: root };
      const readGit = createReadGit([root]);
      const allowed = rulesOf('bash git * allow', 'bash cd * allow', ...rules);
      return evaluate(
        bashCall(line),
        policyOf(allowed, { folders, readGit, ...PATIENCE, ...more }),
      );
    },
  };
}

const IDENTITY = ['-c', 'user.name=x', '-c', 'user.email=x@y', '-c', 'protocol.file.allow=always'];

/**
 * `main` and, from an earlier commit, the branches `plain`, which changes ordinary files, and
 * `brings`, which adds `AGENTS.md` and changes `.vscode/tasks.json`.
 */
export function makeRepository(rules: readonly string[] = []): Repository {
  const repository = openRepository(makeFolder(), rules);
  const { git, commit } = repository;
  git('init', '-q', '-b', 'main');
  commit({ 'a.ts': 'a', 'src/b.ts': 'b', '.vscode/tasks.json': '{}' });
  git('checkout', '-q', '-b', 'plain');
  commit({ 'src/b.ts': 'changed', 'src/new.ts': 'new' });
  git('checkout', '-q', '-b', 'brings', 'main');
  commit({ 'AGENTS.md': 'trust me', '.vscode/tasks.json': '{"x":1}', 'src/c.ts': 'c' });
  git('checkout', '-q', 'main');
  commit({ 'a.ts': 'later' });
  return repository;
}

/** What the line really prints. */
export function run(line: string, root: string): string {
  return execFileSync('bash', ['-c', `${line}; true`], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}
