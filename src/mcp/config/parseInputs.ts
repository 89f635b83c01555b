import { isRecord } from '../../base/json.ts';
import type { ServerInput } from '../../base/tools/mcpServer.ts';

/** Far more than anyone uses. */
const MOST_INPUTS = 100;
const TEXT_LENGTH = 1000;

/** The `inputs` of VS Code's `mcp.json`. What can't be read is left out, and then asked for as a secret. */
export function parseInputs(value: unknown): ReadonlyMap<string, ServerInput> {
  const found = new Map<string, ServerInput>();
  for (const each of (Array.isArray(value) ? value : []).slice(0, MOST_INPUTS)) {
    const input = parseInput(each);
    if (input !== undefined) found.set(input.id, input);
  }
  return found;
}

function parseInput(value: unknown): ServerInput | undefined {
  if (!isRecord(value)) return undefined;
  const { type, id, description, password, default: initial, options } = value;
  if (typeof id !== 'string' || id === '') return undefined;
  if (type !== 'promptString' && type !== 'pickString') return undefined;
  const choices = type === 'pickString' && Array.isArray(options) ? options : [];
  const texts = choices.filter((each) => typeof each === 'string').slice(0, MOST_INPUTS);
  return {
    id,
    password: type === 'promptString' && password === true,
    ...(typeof description === 'string' && { description: description.slice(0, TEXT_LENGTH) }),
    ...(typeof initial === 'string' && { initial: initial.slice(0, TEXT_LENGTH) }),
    ...(texts.length > 0 && { options: texts }),
  };
}
