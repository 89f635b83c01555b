import { getMessage } from '../../../base/faults.ts';
import { failure, success } from '../../../base/outcome.ts';
import { sha256 } from '../../../base/text/sha256.ts';
import type { CompiledPolicy } from '../../../permissions/rules/compiledPolicy.ts';
import type { Policy } from '../../../permissions/rules/policy.ts';
import type { PolicyCompiler } from '../../../permissions/rules/policyCompiler.ts';
import type { HiddenFiles } from '../../../tools/toolSource.ts';
import type { ToolOwner } from './sessionTools.ts';

/** How long one look may take. A server whose hidden files are not known is not started. */
const LOOK_S = 10;

/**
 * What the owner's rules hide from the programs of MCP servers, by the same look as for commands in the copy. The
 * capabilities of an agent are about its own calls, and hide nothing from servers.
 */
export function createHiddenFiles(
  compiler: PolicyCompiler,
  owner: Pick<ToolOwner, 'policy'>,
  startLimit = () => AbortSignal.timeout(LOOK_S * 1000),
): HiddenFiles {
  const policy = (): Policy => {
    const { capabilities: _, ...rules } = owner.policy();
    return rules;
  };
  return {
    id: toId(compiler.compile(policy())),
    async find(others) {
      const limit = startLimit();
      try {
        const { findMasks } = await import('../copy/findMasks.ts');
        return success((await findMasks({ policy, compiler }, limit, others)).masks);
      } catch (fault) {
        const why = limit.aborted ? `The look took more than ${LOOK_S} s.` : getMessage(fault);
        return failure(`The files that rules hide from it could not be found. ${why}`);
      }
    },
  };
}

/** An allow is left out, so that an answer such as "always" does not restart the servers: they see less for a while. */
function toId({ rules }: CompiledPolicy): string {
  const tight = rules
    .naming('read', 'fs.read')
    .map(({ rule }) => rule)
    .filter(({ action, broken }) => action !== 'allow' || broken === true);
  return sha256(JSON.stringify(tight), 'base64url');
}
