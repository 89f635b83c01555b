import type { ToolCallContent, ToolCallUpdate } from '@agentclientprotocol/sdk';
import { toRecord } from '../base/json.ts';
import type { DisplayContent, ToolDisplay } from '../base/stream/chunk.ts';
import { dataText, type Envelope } from '../base/stream/envelope.ts';
import { getCommandLine } from '../base/tools/commandLine.ts';
import type { ClientView } from './clientView.ts';
import { toMeta } from './gatehouse/parse.ts';
import type { DiffMeta, ToolCallMeta } from './gatehouse/session.ts';

/** The visible fields of a tool call; absent fields are unchanged. */
export function toCallFields(
  display: ToolDisplay | undefined,
  view: ClientView,
  output?: Envelope,
): Omit<ToolCallUpdate, 'toolCallId'> {
  const content = toContent(display?.content, view, output);
  return {
    ...(display?.title === undefined ? {} : { title: display.title }),
    ...(display?.kind === undefined ? {} : { kind: display.kind }),
    ...(display?.locations === undefined
      ? {}
      : { locations: display.locations.map((location) => ({ ...location })) }),
    ...(content === undefined ? {} : { content }),
    ...toWhy(display),
  };
}

export function toTextContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } };
}

/** Why the call was allowed, where and how long it ran, sent in `_meta.gatehouse`. */
function toWhy(display: ToolDisplay | undefined): Pick<ToolCallUpdate, '_meta'> {
  const { rule, rules, layer, isolation, revertable, ranMs, outputEnd, subagent } = display ?? {};
  const facts = [rule, layer, isolation, revertable, ranMs, outputEnd, subagent];
  if (facts.every((each) => each === undefined)) return {};
  return toMeta({
    ...(rule === undefined ? {} : { rule }),
    ...(rules === undefined ? {} : { rules }),
    ...(layer === undefined ? {} : { layer }),
    ...(isolation === undefined ? {} : { isolation }),
    ...(revertable && { revertable }),
    ...(ranMs === undefined ? {} : { ranMs }),
    ...(outputEnd === undefined ? {} : { outputEnd }),
    ...(subagent === undefined ? {} : { subagent }),
  });
}

/** Merges `more` into our part of the fields' `_meta`. */
export function withCallMeta(
  fields: Omit<ToolCallUpdate, 'toolCallId'>,
  more: ToolCallMeta,
): Omit<ToolCallUpdate, 'toolCallId'> {
  if (Object.keys(more).length === 0) return fields;
  return { ...fields, ...toMeta({ ...toRecord(fields._meta?.['gatehouse']), ...more }) };
}

/** Details of the arguments that a client displays without parsing them. */
export function toInputMeta(toolName: string, input: unknown): ToolCallMeta {
  const command = getCommandLine(toolName, input);
  return command === undefined ? {} : { command };
}

/**
 * A client that doesn't know our terminals gets the output as text when the call is done, because a
 * terminal it was never told about would stay empty.
 */
function toContent(
  shown: readonly DisplayContent[] | undefined,
  view: ClientView,
  output: Envelope | undefined,
): ToolCallContent[] | undefined {
  const known = shown?.filter((each) => view.terminals || each.type !== 'terminal');
  if (known !== undefined && known.length > 0) return known.map(toOne);
  const text = output === undefined ? undefined : outputText(output);
  if (text !== undefined) return [toTextContent(text)];
  // An empty list clears what was shown, such as a proposal.
  return shown?.length === 0 ? [] : undefined;
}

function toOne(content: DisplayContent): ToolCallContent {
  switch (content.type) {
    case 'text':
      return toTextContent(content.text);
    case 'terminal':
      return { type: 'terminal', terminalId: content.terminalId };
    case 'diff':
      return toDiff(content);
  }
}

function toDiff(content: Extract<DisplayContent, { readonly type: 'diff' }>): ToolCallContent {
  const { path, oldText = null, newText, line, deleted, document } = content;
  const meta: DiffMeta = {
    ...(line !== undefined && { line }),
    ...(deleted && { deleted }),
    ...(document && { document }),
  };
  const own = Object.keys(meta).length > 0 && toMeta(meta);
  return { type: 'diff', path, oldText, newText, ...own };
}

/** Limit in characters for the result's text; `rawOutput` contains the complete result. */
const SHOWN_CHARACTERS = 20_000;

function outputText(output: Envelope): string | undefined {
  if (output.type === 'error') return output.error_text;
  const text = dataText(output.data);
  if (text === undefined || text === '') return undefined;
  if (text.length <= SHOWN_CHARACTERS) return text;
  return `${text.slice(0, SHOWN_CHARACTERS)}\n… ${text.length - SHOWN_CHARACTERS} more characters`;
}
