import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import { startProgram } from '../commands/startProgram.ts';
import { tryToRemove } from './folders.ts';
import { createLookOnly, type LookOnlyParts } from './lookOnly.ts';

/**
 * Tries to break out of a look-only sandbox once, and to look in it. Undefined when everything held; otherwise one
 * sentence that says what didn't. `folder` exists.
 */
export async function runLookTest(program: string, folder: string): Promise<string | undefined> {
  const base = realpathSync(mkdtempSync(path.join(folder, 'selftest-')));
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  try {
    const stage = makeStage(base);
    const port = await listen(server);
    const ran = await runProbes({ program, home: stage.home }, stage, port);
    if (typeof ran === 'string') return `The sandbox can't be started here: ${ran}`;
    const open = [...ran.printed.matchAll(/^OPEN (.*)$/gm)].map(([, name]) => name);
    if (!ran.printed.includes('DONE')) open.push('the probes did not end');
    if (connections > 0) open.push('it reached the network');
    if (existsSync(path.join(stage.outside, 'written')))
      open.push('it wrote outside the workspace');
    if (readFileSync(path.join(stage.workspace, 'own'), 'utf8') !== 'own') {
      open.push('it changed the workspace');
    }
    return open.length === 0 ? undefined : `The sandbox does not hold here: ${open[0]}.`;
  } finally {
    server.close();
    tryToRemove(base);
  }
}

function makeStage(base: string) {
  const names = ['copy', 'home', 'work (space) one', 'outside'];
  const [copy = '', home = '', workspace = '', outside = ''] = names.map((name) => {
    mkdirSync(path.join(base, name));
    return path.join(base, name);
  });
  for (const file of ['masked (one)', 'own']) writeFileSync(path.join(workspace, file), 'own');
  for (const file of [outside, home]) writeFileSync(path.join(file, 'secret'), 'secret');
  return { copy, home, workspace, outside };
}

async function runProbes(
  parts: LookOnlyParts,
  { copy, home, workspace, outside }: ReturnType<typeof makeStage>,
  port: number,
): Promise<string | { readonly printed: string }> {
  const look = createLookOnly(parts, '').live({
    ...{ folder: copy, workspace: [workspace] },
    masks: [path.join(workspace, 'masked (one)')],
  });
  const prepared = await look.prepare({
    argv: ['/bin/bash', '-c', PROBES, 'bash', outside, home, String(port)],
    ...{ cwd: workspace, env: { PATH: '/usr/bin:/bin' } },
  });
  if (!prepared.ok) return prepared.error;
  const { launch, descriptors, after } = prepared.data;
  const started = await startProgram({
    ...{ ...launch, descriptors },
    ...{ ending: 'group', timeoutMs: 30_000, until: 'close', maxStdout: 65_536 },
    keep: { stdout: { head: 10_000 }, stderr: { head: 1000 } },
  });
  if (!started.ok) return started.fault.message;
  await started.program.ended;
  const whole = await after();
  const printed = started.program.read('stdout').head;
  if (whole.ok) return { printed };
  return started.program.read('stderr').head.replaceAll(/\s+/g, ' ').trim() || whole.error;
}

/** Each line that begins with OPEN is a hole, or something that a command needs and doesn't have. */
const PROBES = `exec 2>/dev/null
open() { echo "OPEN $*"; }
echo x >"$1/written"
echo x >"$2/written" && open it wrote in the home folder
echo changed >own
echo x >new && open it wrote in the workspace
for d in / /usr /etc /Library /tmp; do echo x >$d/gatehouse-probe && open it wrote in the system folders; done
[ -n "$(<"$1/secret")" ] && open it reads files outside the workspace
[ -n "$(<"$2/secret")" ] && open it reads the home folder
[ -n "$(<"masked (one)")" ] && open it reads a hidden file
exec 4<>/dev/tcp/127.0.0.1/$3 && open it reached the network
[ "$(<own)" = own ] || open it cannot read the workspace
[ "$(/bin/ls own)" = own ] || open it cannot run programs
echo x >"$TMPDIR/probe" || open it cannot write temporary files
echo DONE
exit 0`;

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}
