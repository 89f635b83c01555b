import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { findMasks } from '../../../../src/host/session/copy/findMasks.ts';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { type Policy, UNREADABLE } from '../../../../src/permissions/rules/policy.ts';
import { createPolicyCompiler } from '../../../../src/permissions/rules/policyCompiler.ts';
import { openSandboxBed } from './bed.ts';

/** What commands get of a folder that nobody can list, though they may open it. Only an ordinary user meets one. */
export async function openClosed(env: NodeJS.ProcessEnv): Promise<unknown> {
  await using bed = await openSandboxBed(env);
  const { workspace } = bed;
  const closed = path.join(workspace, 'a/closed');
  const config = path.join(closed, '.git/config');
  mkdirSync(path.dirname(config), { recursive: true });
  writeFileSync(config, 'own');
  writeFileSync(path.join(closed, '.env'), 'SECRET');
  chmodSync(closed, 0);
  const policy: Policy = {
    rules: DEFAULT_RULES,
    folders: { workspace: [workspace], adHoc: [], state: bed.base, sidecars: '/x', cwd: workspace },
    ...{ shell: 'bash', platform: process.platform, headless: false },
    readGit: UNREADABLE,
  };
  const context = { policy: () => policy, compiler: createPolicyCompiler() };
  const { masks } = await findMasks(context, new AbortController().signal);
  const held = await bed.hold();
  const line = 'chmod -R u+rwx a; cat a/closed/.env; echo evil >a/closed/.git/config';
  const copied = await bed.run(held.start({ masks }), line);
  const live = bed.sandbox.live({
    ...{ folder: path.join(bed.base, 'data/live'), workspace: [workspace], masks: [] },
  });
  await bed.run(live, `${line}; mv a/closed a/moved; mv a b; true`);
  chmodSync(closed, 0o700);
  return {
    masks: masks
      .filter((file) => file.startsWith(`${workspace}/`))
      .map((file) => path.relative(workspace, file)),
    shown: copied.output.includes('SECRET'),
    config: readFileSync(config, 'utf8'),
  };
}
