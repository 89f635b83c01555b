import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openSandboxBed } from './bed.ts';

const { signal } = new AbortController();

/** What a command may leave in HOME, in /tmp and in the copy. */
const LEFT: Readonly<Record<string, string>> = {
  'links that lead in circles and to folders of the host': 'ln -s . a; ln -s . b; ln -s / c',
  'folders deeper than a path may be long': `perl -e 'for (1..600) { mkdir "a234567890" or die; chdir "a234567890" or die }'`,
  'deep folders that nobody may enter': `perl -e 'for (1..600) { mkdir "a234567890" or die; chdir "a234567890" or die } mkdir "x"; chmod 0, "x", "."'`,
  'folders without permissions': 'mkdir -p a/b .config .local; chmod 000 a/b a .config .local .',
};

/** Runs as an ordinary user too, for whom permissions count. */
export async function leaveHostile(env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const faults: string[] = [];
  const closed = 'folders without permissions';
  faults.push(...(await leaveInHidden(env, closed, LEFT[closed] ?? '')));
  for (const [what, line] of Object.entries(LEFT)) {
    await using bed = await openSandboxBed(env);
    mkdirSync(path.join(bed.home, '.config/git'), { recursive: true });
    writeFileSync(path.join(bed.home, '.config/git/ignore'), 'x');
    const masked = path.join(bed.workspace, 'masked');
    mkdirSync(masked);
    const held = await bed.hold();
    const everywhere = `for f in ~ ${masked} ${bed.workspace} /tmp; do (cd $f; ${line}); done`;
    await bed.run(held.start({ masks: [masked] }), everywhere);
    const { homeWrites = [], maskedWrites = [] } = held.report() ?? {};
    const expected = what.startsWith('links') ? 'a,b,c' : '';
    if ([...homeWrites].sort().join() !== expected) faults.push(`${what}: named ${homeWrites}`);
    if (maskedWrites.join() !== masked) faults.push(`${what}: masked ${maskedWrites}`);
    const listed = await held.changes(signal).catch(() => undefined);
    if (listed?.ok !== true) await held.reset();
    const next = await bed.run(
      held.start({ masks: [masked] }),
      'ls -A ~; touch /tmp/x && echo ran',
    );
    if (next.output !== '.config\nran\n') faults.push(`${what}: then ${next.output}`);
    held.release();
    await bed.copy.close();
    if (existsSync(path.join(bed.base, 'data/copy'))) faults.push(`${what}: something is left`);
  }
  return faults;
}

/** Nothing of it is in the copy, whose changes are read as ever. */
async function leaveInHidden(
  env: NodeJS.ProcessEnv,
  what: string,
  line: string,
): Promise<readonly string[]> {
  await using bed = await openSandboxBed(env);
  const masked = path.join(bed.workspace, 'masked');
  mkdirSync(masked);
  const held = await bed.hold();
  await bed.run(held.start({ masks: [masked] }), `cd masked; ${line}`);
  const listed = await held.changes(signal);
  const run = bed.run(held.start({ masks: [masked] }), 'ls -A masked; echo ran');
  const said = await run.then(({ output }) => output, String);
  if (listed.ok && listed.data.files.length === 0 && said === 'ran\n') return [];
  return [`${what}, in a hidden folder: ${said}`];
}
