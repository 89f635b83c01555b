import { appendFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { type Redact, redactDeep } from './redact.ts';

/** One call of a program (spec A-49). Never a value of a variable, only names (spec A-25). */
export interface AuditToolRow {
  readonly event: 'tool';
  readonly tool: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  /** −1 when unknown. */
  readonly exit: number;
  readonly ms: number;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  readonly truncated: boolean;
  readonly envKeys?: readonly string[];
  readonly tags?: readonly string[];
}

/** A capability that was checked (spec D-40). */
export interface CapRow {
  readonly event: 'cap.audit';
  readonly kind?: 'cap_denied';
  readonly agent: string;
  readonly cap: string;
  readonly op: string;
  readonly target: string;
  /** BLAKE3, hex. */
  readonly args_hash: string;
  readonly decision: 'allow' | 'deny';
  readonly severity: 'info' | 'warning';
  readonly reason: string;
}

/** A Runloop payload frame (spec D-26, D-42). */
export interface FrameRow {
  readonly event: 'CT_TOOL_CALL' | 'CT_TOOL_RESULT';
  readonly frame: 3 | 4;
  readonly body: Readonly<Record<string, unknown>>;
  readonly tags: readonly string[];
}

export type AuditRow = AuditToolRow | CapRow | FrameRow;

/** Writes a row. Never throws: a failing log must not fail a call (spec A-51). */
export type AuditLog = (row: AuditRow) => void;

/** NDJSON, one file for each UTC day, named `YYYYMMDD.log` (spec A-48), readable only by the user. */
export function openAuditLog(folder: string, redact: Redact, now: () => Date): AuditLog {
  return (row) => {
    const ts = now().toISOString();
    const file = path.join(folder, `${ts.slice(0, 10).replaceAll('-', '')}.log`);
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const line = JSON.stringify({ ts, ...(redactDeep(row, redact) as object) });
      appendFileSync(file, `${line}\n`, { mode: 0o600 });
    } catch {
      // The call continues without its row; the recorder still has the call.
    }
  };
}
