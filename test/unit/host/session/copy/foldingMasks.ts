import { findMasks } from '../../../../../src/host/session/copy/findMasks.ts';
import { DEFAULT_RULES } from '../../../../../src/permissions/defaults/defaults.ts';
import { type Policy, UNREADABLE } from '../../../../../src/permissions/rules/policy.ts';
import { createPolicyCompiler } from '../../../../../src/permissions/rules/policyCompiler.ts';

/** Prints what is hidden from commands in the folder of its first argument, or why that can't be told. */
const [, , folder = ''] = process.argv;
const policy: Policy = {
  rules: DEFAULT_RULES,
  folders: { workspace: [folder], adHoc: [], cwd: folder },
  ...{ shell: 'bash', platform: process.platform, headless: false },
  readGit: UNREADABLE,
};
const context = { policy: () => policy, compiler: createPolicyCompiler() };
const found = await findMasks(context, new AbortController().signal).then(
  ({ masks }) => masks.filter((file) => file.startsWith(folder)).join(),
  (error: unknown) => `${error}`,
);
process.stdout.write(found);
