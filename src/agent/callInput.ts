import { fieldAt } from '../base/json.ts';

/** A call's arguments as the model wrote them: undefined when they are not JSON, or not safe to hold. */
export function parseCallInput(text: string): { readonly value: unknown } | undefined {
  if (text.trim() === '') return { value: {} };
  try {
    const value: unknown = JSON.parse(text);
    return POISON.test(text) && isPoisoned(value) ? undefined : { value };
  } catch {
    return undefined;
  }
}

/** What a key that reaches an object's prototype is spelled with; an escape may hide it. */
const POISON = /__proto__|constructor|\\u/;

/** Such keys would change every object once someone merges the arguments into another. */
function isPoisoned(root: unknown): boolean {
  const waiting = [root];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (Object.hasOwn(value, '__proto__')) return true;
    const made = Object.hasOwn(value, 'constructor') ? fieldAt(value, 'constructor') : undefined;
    if (typeof made === 'object' && made !== null && Object.hasOwn(made, 'prototype')) return true;
    waiting.push(...Object.values(value));
  }
  return false;
}
