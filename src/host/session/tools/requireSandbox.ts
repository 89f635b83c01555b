import { failure, type Outcome, success } from '../../../base/outcome.ts';
import type { Isolation } from '../../../base/tools/isolation.ts';
import type { GateContext } from '../../../gate/gateContext.ts';
import type { Operation } from '../../../gate/operation.ts';
import { type Confinement, toRefusal } from '../../services/confinement.ts';
import { passLaterGate } from './laterGate.ts';

/**
 * Where the call's programs run, if they can be confined. Where nothing confines, the user is asked once to accept
 * unconfined runs on this machine; otherwise it fails with a sentence for the model.
 */
export async function requireSandbox(
  confinement: Confinement,
  context: GateContext,
  toolCallId: string,
  signal: AbortSignal,
): Promise<Outcome<Isolation>> {
  const isolation = await confinement.findIsolation();
  if (isolation.ok) return isolation;
  const obstacle = isolation.error;
  if (context.ask === undefined) return failure(toRefusal(obstacle));
  // The watchdog has seen the call itself.
  const { watchdog: _, ...own } = context;
  const call = { toolCallId, operation: toOperation(obstacle), context: own, signal };
  const passage = await passLaterGate(call, {});
  if (passage.type === 'stopped') {
    return failure(`${toRefusal(obstacle)} ${passage.reason ?? passage.text}`);
  }
  await confinement.accept();
  return success('unconfined');
}

function toOperation(obstacle: string): Operation {
  return {
    id: 'sandbox',
    kind: 'execute',
    isAside: true,
    parameters: { type: 'object' },
    // A wildcard was not written with this in mind.
    confirmation: 'ask',
    askReason: `${obstacle} Run commands and programs without a sandbox on this machine, from now on? Rules still decide about each of them.`,
    subjects: () => [{ permission: 'sandbox', target: 'unconfined', match: 'text' }],
    title: () => 'Run without a sandbox',
  };
}
