import { createReadGit } from '../../../../src/runtime/commands/readGit.ts';
import { bashCall, evaluate, policyOf, rulesOf } from '../ask.ts';

/** Prints the decision on each call of its second argument, with a workspace in the folder of the first. */
const [, , folder = '', calls = '[]'] = process.argv;

export interface FoldingCall {
  readonly tool: string;
  readonly target: string;
  readonly rules: readonly string[];
}

const parsed: readonly FoldingCall[] = JSON.parse(calls);
const decisions: string[] = [];
for (const { tool, target, rules } of parsed) {
  const policy = policyOf(rulesOf(...rules), {
    folders: { workspace: [folder], adHoc: [], cwd: folder },
    readGit: createReadGit([folder]),
  });
  const capability = tool === 'write' ? 'fs.write' : 'fs.read';
  const subject = { permission: tool, capability, target, match: 'path' } as const;
  const call =
    tool === 'bash'
      ? bashCall(target)
      : ({ tool, input: { path: target }, subjects: [subject] } as const);
  decisions.push((await evaluate(call, policy)).decision);
}
process.stdout.write(JSON.stringify(decisions));
