import { MB } from '../../base/units.ts';
import type { Subject } from '../../permissions/rules/subject.ts';
import type { AuditLog } from './auditLog.ts';
import type { SecretSource } from './secrets.ts';

/** What declared tools need from the host. */
export interface DeclaredOptions {
  /** The host's environment; a tool gets PATH, HOME and the variables that its manifest names. */
  readonly env: NodeJS.ProcessEnv;
  readonly secrets: SecretSource;
  readonly audit: AuditLog;
  /** Default timeout in milliseconds: `gatehouse.tools.timeout`. */
  readonly timeoutMs: number;
  /** Time limit in milliseconds for validating one value against a schema: `gatehouse.limits.schemaMs`. */
  readonly schemaMs: number;
  /** `gatehouse.security.confirmExternalActions`. */
  readonly confirmExternalActions: boolean;
}

/** Milliseconds after the tool's own limit for ending its processes. */
export const GRACE_MS = 5_000;

/** The most bytes that a tool may write to standard output (spec B-35). */
export const MAX_STDOUT = 10 * MB;

export const FLOOD = `tool output exceeds maximum size limit of ${MAX_STDOUT} bytes`;

/** The subject of a call that runs a program: its arguments. */
export function programSubject(
  permission: string,
  args: unknown,
  argv: readonly string[],
): Subject {
  const target = JSON.stringify(args ?? {});
  return { permission, capability: 'shell.run', target, match: 'text', argv };
}

/** The most characters of the arguments in a call's title. */
const TITLE = 160;

/** The title of a call: the tool and its arguments. */
export function callTitle(id: string, args: unknown): string {
  const text = JSON.stringify(args ?? {});
  if (text === '{}') return id;
  return `${id} ${text.length > TITLE ? `${text.slice(0, TITLE)}…` : text}`;
}
