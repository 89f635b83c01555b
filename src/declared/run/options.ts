import { MB } from '../../base/units.ts';
import type { Subject } from '../../permissions/rules/subject.ts';
import type { AuditLog } from './auditLog.ts';
import type { SecretSource } from './secrets.ts';

/** What declared tools need of their host. */
export interface DeclaredOptions {
  /** What the host was started with; a tool gets PATH, HOME and what its manifest names. */
  readonly env: NodeJS.ProcessEnv;
  readonly secrets: SecretSource;
  readonly audit: AuditLog;
  /** Milliseconds for a tool whose manifest says nothing: `gatehouse.tools.timeout`. */
  readonly timeoutMs: number;
  /** `gatehouse.security.confirmExternalActions`. */
  readonly confirmExternalActions: boolean;
}

/** Milliseconds after the tool's own limit in which its processes are ended. */
export const GRACE_MS = 5_000;

/** Bytes of standard output a tool may write (spec B-35). */
export const MAX_STDOUT = 10 * MB;

export const FLOOD = `tool output exceeds maximum size limit of ${MAX_STDOUT} bytes`;

/** What rules and capabilities are asked about for a call that runs a program: its arguments. */
export function programSubject(permission: string, args: unknown): Subject {
  const target = JSON.stringify(args ?? {});
  return { permission, capability: 'shell.run', target, match: 'text' };
}

/** Characters of the arguments that a call's title shows. */
const TITLE = 160;

/** What a person sees of a call: the tool and what it is given. */
export function callTitle(id: string, args: unknown): string {
  const text = JSON.stringify(args ?? {});
  if (text === '{}') return id;
  return `${id} ${text.length > TITLE ? `${text.slice(0, TITLE)}…` : text}`;
}
