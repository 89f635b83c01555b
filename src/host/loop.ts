import { createModel } from '../agent/model.ts';
import { BUILT_IN_PROMPT, systemPrompt } from '../agent/prompt.ts';
import { runTurn } from '../agent/runTurn.ts';
import { findSchemaFault } from '../gate/validate.ts';
import { evaluate } from '../permissions/evaluate/evaluate.ts';
import { callTool } from '../tools/callTool.ts';
import { createRegistry } from '../tools/registry.ts';
import { prepareTurn } from './session/turnView.ts';

/** The heavy half of the host, a chunk of its own: loaded after the handshake, before it is needed. */
export const loop = {
  createModel,
  systemPrompt,
  BUILT_IN_PROMPT,
  runTurn,
  evaluate,
  callTool,
  findSchemaFault,
  prepareTurn,
};

export type Loop = typeof loop & { readonly registry: ReturnType<typeof createRegistry> };

export function createLoop(): Loop {
  return { ...loop, registry: createRegistry() };
}
