import { getMessage } from '../base/faults.ts';
import { failure, success } from '../base/outcome.ts';
import { HOST_TOOL_IDS } from '../base/tools/toolFacts.ts';
import {
  type NotOffered,
  neverChanges,
  type OfferedTool,
  type ToolOffer,
  type ToolSource,
} from '../tools/toolSource.ts';
import { EDITOR_SERVER, toToolIds } from './tools/ids.ts';
import { createMcpTool, findToolFault, type ToolConnection } from './tools/mcpTool.ts';

/** A tool that another extension of the editor registered. */
export interface EditorTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** The tools of the editor's extensions. */
export interface EditorTools {
  list(): Promise<readonly EditorTool[]>;
  /** The texts of the result. Rejects when the tool fails. */
  call(
    name: string,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<readonly string[]>;
}

/** More than any editor has. */
const MOST_TOOLS = 2000;

/** The tools of the editor's other extensions, called as those of one MCP server are: each call asks. */
export function createEditorSource(editor: EditorTools): ToolSource {
  const connection = connect(editor);
  return {
    id: 'editor',
    onDidChange: neverChanges,
    async tools({ schemaMs, editorTools = true }) {
      if (!editorTools) return NOTHING;
      const found = (await editor.list()).slice(0, MOST_TOOLS);
      const tools: OfferedTool[] = [];
      const notOffered: NotOffered[] = [];
      const used = new Set(HOST_TOOL_IDS);
      const names = found.map(({ name }) => name);
      const ids = toToolIds(EDITOR_SERVER, names, used);
      for (const { name, description, parameters } of found) {
        const tool = { name, description, inputSchema: { ...parameters, type: 'object' as const } };
        const id = ids.get(name) ?? '';
        const isTwice = tools.some(({ tool: { id: other } }) => other === id);
        const why = isTwice ? 'The editor lists it twice.' : findToolFault(tool);
        if (why !== undefined) notOffered.push({ id: name.slice(0, 64), why });
        else
          tools.push({
            tool: createMcpTool(tool, { id, server: EDITOR_SERVER, connection, schemaMs }),
          });
      }
      const listed = JSON.stringify(found);
      // The editor does not tell when an extension adds a tool.
      const isCurrent = async () =>
        JSON.stringify((await editor.list()).slice(0, MOST_TOOLS)) === listed;
      return { tools, notOffered, pending: [], isCurrent };
    },
  };
}

const NOTHING: ToolOffer = { tools: [], notOffered: [], pending: [] };

function connect(editor: EditorTools): ToolConnection {
  return {
    server: { name: EDITOR_SERVER },
    async call(tool, input, { signal }) {
      try {
        const texts = await editor.call(tool, input, signal);
        return success({ content: texts.map((text) => ({ type: 'text', text })) });
      } catch (fault) {
        return failure(`The tool of the editor failed: ${getMessage(fault).slice(0, 2000)}`);
      }
    },
  };
}
