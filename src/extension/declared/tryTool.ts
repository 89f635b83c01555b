import type { ToolRow } from '../../base/tools/toolRow.ts';
import { plainNotice } from '../text/plainNotice.ts';
import { askArguments, type FormParts } from './toolForm.ts';

/** The manifest entry of the tool to try. */
export interface TriedTool {
  readonly file: string;
  readonly pointer: string;
}

export interface TryToolParts extends FormParts {
  readonly window: FormParts['window'] & {
    showWarningMessage(message: string): Thenable<unknown>;
  };
  /** The id of the session to call the tool in: the current one or a new one. */
  session(): Promise<string>;
  tools(sessionId: string): Promise<readonly ToolRow[]>;
  call(
    request: TriedTool & { readonly sessionId: string; readonly input: unknown },
  ): Promise<object>;
  show(result: object): Promise<void>;
}

/**
 * *Try Tool*: asks for arguments, calls the tool through the gate and shows the result envelope.
 */
export async function tryTool(parts: TryToolParts, tried: TriedTool): Promise<void> {
  const { window, t } = parts;
  const sessionId = await parts.session();
  const rows = await parts.tools(sessionId);
  const row = rows.find(
    ({ file, pointer, state }) =>
      file === tried.file && pointer === tried.pointer && state === 'offered',
  );
  if (row === undefined) {
    const held = rows.find(
      ({ file, pointer, why }) =>
        file === tried.file && why !== undefined && pointer?.startsWith(tried.pointer),
    );
    await window.showWarningMessage(
      plainNotice(
        t('Cannot try this tool yet. {0}', held?.why ?? t('Fix the errors and save first.')),
      ),
    );
    return;
  }
  const input = await askArguments(parts, row.id, row.parameters);
  if (input === undefined) return;
  await parts.show(await parts.call({ ...tried, sessionId, input }));
}

export function isTried(value: unknown): value is TriedTool {
  if (typeof value !== 'object' || value === null) return false;
  return (
    typeof Reflect.get(value, 'file') === 'string' &&
    typeof Reflect.get(value, 'pointer') === 'string'
  );
}
