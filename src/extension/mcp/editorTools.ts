import type * as vscode from 'vscode';
import type {
  EditorToolCall,
  EditorToolList,
  EditorToolResult,
} from '../../acp/gatehouse/client.ts';
import { getMessage } from '../../base/faults.ts';
import { fieldAt, toRecord } from '../../base/json.ts';
import { toToken } from '../asks/cancellation.ts';

/** What serving the tools of other extensions needs of VS Code's API. */
export type ToolApi = Pick<typeof vscode.lm, 'tools' | 'invokeTool'>;

/** The tools that extensions registered. Asks the user nothing. */
export function listEditorTools({ tools }: ToolApi): EditorToolList {
  return {
    tools: tools.map(({ name, description, inputSchema }) => ({
      ...{ name, description },
      parameters: { ...toRecord(inputSchema) },
    })),
  };
}

/** Calls a tool, which the host's gate has let through. */
export async function callEditorTool(
  lm: ToolApi,
  { name, input }: EditorToolCall,
  signal: AbortSignal,
): Promise<EditorToolResult> {
  try {
    // Without a token, the call belongs to no chat of VS Code.
    const options = { input, toolInvocationToken: undefined };
    const { content } = await lm.invokeTool(name, options, toToken(signal));
    return { texts: content.map(toText) };
  } catch (error) {
    return { texts: [], error: getMessage(error) };
  }
}

function toText(part: unknown): string {
  const value = fieldAt(part, 'value');
  if (typeof value === 'string') return value;
  if (value !== undefined) return JSON.stringify(value);
  const mimeType = fieldAt(part, 'mimeType');
  return typeof mimeType === 'string' ? `(${mimeType}, not shown)` : '';
}
