import type { passGate } from '../../../gate/passGate.ts';

/**
 * Passes the gate, and loads it with its analysis of commands when something passes first. It is for what an open
 * session can do before a turn has loaded the gate: opening one needs none of that code.
 */
export const passLaterGate: typeof passGate = async (...call) => {
  const gate = await import('../../../gate/passGate.ts');
  return gate.passGate(...call);
};
