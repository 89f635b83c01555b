import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporary } from '../host/harness.ts';
import { type Files, gatehouse, place } from './program.ts';

export interface Checked {
  readonly code: number;
  /** `severity message`, of all manifests. */
  readonly problems: readonly string[];
  readonly tools: readonly string[];
}

/** What `gatehouse check --json` says about a folder with these files. */
export async function check(t: TestContext, files: Files, words = ['.']): Promise<Checked> {
  const folder = path.join(await temporary(t), 'shop');
  await mkdir(folder);
  await place(folder, files);
  const { code, stdout, stderr } = await gatehouse(['check', '--json', ...words], { cwd: folder });
  assert.equal(stderr, '');
  const rows: readonly Row[] = JSON.parse(stdout);
  return {
    code,
    problems: rows.flatMap(({ problems }) =>
      problems.map(({ severity, message }) => `${severity} ${message.replaceAll(folder, '.')}`),
    ),
    tools: rows.flatMap(({ tools }) => tools),
  };
}

interface Row {
  readonly problems: readonly { readonly severity: string; readonly message: string }[];
  readonly tools: readonly string[];
}

/** One test: the errors of a folder, in order; none means that it is accepted. */
export function checks(name: string, files: Files, errors: readonly string[], words = ['.']): void {
  test(name, async (t) => {
    const { code, problems } = await check(t, files, words);
    const found = problems.filter((each) => each.startsWith('error '));
    assert.deepEqual(
      found,
      errors.map((each) => `error ${each}`),
    );
    assert.equal(code, errors.length === 0 ? 0 : 1);
  });
}
