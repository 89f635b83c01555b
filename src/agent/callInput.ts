import { fieldAt, isDeeperThan } from '../base/json.ts';

/** How deep arguments may be nested. SQLite, validators and other endpoints fail at a thousand. */
const MOST_DEPTH = 200;

/** What is wrong with arguments, for the model. */
export type InputFault = (typeof NO_JSON | typeof TOO_DEEP)['fault'];

/** Parses a call's arguments. A fault when they are not JSON, too deep, or could pollute a prototype. */
export function parseCallInput(
  text: string,
): { readonly value: unknown } | { readonly fault: InputFault } {
  if (text.trim() === '') return { value: {} };
  try {
    if (isDeeperThan(text, MOST_DEPTH)) return TOO_DEEP;
    const value: unknown = JSON.parse(text);
    return POISON.test(text) && isPoisoned(value) ? NO_JSON : { value };
  } catch {
    return NO_JSON;
  }
}

const TOO_DEEP = { fault: `are nested more than ${MOST_DEPTH} deep` } as const;
const NO_JSON = { fault: 'are not valid JSON' } as const;

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
