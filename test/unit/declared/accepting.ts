import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { run as accept } from '../../../src/host/cli/acceptTools.ts';

/** Accepts every manifest below a workspace, as `gatehouse accept .` does. Returns what it printed. */
export async function acceptAll(workspace: string, data: string): Promise<string> {
  const stdout = new PassThrough();
  const io = {
    args: ['.'],
    cwd: workspace,
    env: { GATEHOUSE_DATA: data },
    stdin: new PassThrough(),
    stdout,
    stderr: new PassThrough(),
  };
  assert.equal(await accept(io), 0);
  return String(stdout.read());
}
