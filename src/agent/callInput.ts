import { fieldAt } from '../base/json.ts';

/** Parses a call's arguments. Undefined when they are not JSON or could pollute a prototype. */
export function parseCallInput(text: string): { readonly value: unknown } | undefined {
  if (text.trim() === '') return { value: {} };
  try {
    const value: unknown = JSON.parse(text);
    return POISON.test(text) && isPoisoned(value) ? undefined : { value };
  } catch {
    return undefined;
  }
}

/** Keys that reach an object's prototype; an escape may hide one. */
const POISON = /__proto__|constructor|\\u/;

/** Merging such keys into another object could change every object (prototype pollution). */
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
