import {
  applyEdits,
  type FormattingOptions,
  findNodeAtLocation,
  modify,
  parseTree,
} from 'jsonc-parser';
import { stringify } from 'yaml';
import { toDigest } from './runloop/parseBundle.ts';

/** The text of a Runloop document without attachments (spec D-28). */
export const EMPTY_DOCUMENT = '{\n  "version": 1,\n  "tools": []\n}\n';

/** A tool that an author asked for; everything else is the dialect's own default. */
export interface ToolSketch {
  readonly name: string;
  readonly description: string;
  readonly input: object;
}

export type NewTransport =
  | { readonly kind: 'exec'; readonly command: string }
  | { readonly kind: 'http'; readonly method: string; readonly url: string };

/** An agentcli entry; its program lies at `./tools/bin/<name>`. */
export function agentcliEntry(
  { name, description, input }: ToolSketch,
  platform = process.platform,
): object {
  const program = platform === 'win32' ? `${name}.exe` : name;
  return { name, description, schema: input, command: [`./tools/bin/${program}`], timeoutSec: 30 };
}

/** A Runloop entry, with the capability its transport needs. */
export function runloopEntry(
  tool: ToolSketch,
  transport: NewTransport,
  secrets: readonly string[] = [],
): object {
  const host = transport.kind === 'http' ? getHost(transport.url) : undefined;
  return {
    id: tool.name,
    description: tool.description,
    transport,
    input_schema: tool.input,
    result_schema: { type: 'object' },
    ...(host !== undefined && { capabilities: [`net:${host}`] }),
    ...(secrets.length > 0 && { secrets }),
    requires_confirmation: true,
  };
}

/** The host of a URL, with its port where it is not the scheme's own. */
export function getHost(url: string): string | undefined {
  const parsed = URL.parse(url.replaceAll(/\{[^{}]*\}/g, 'x'));
  return parsed === null || parsed.host === '' ? undefined : parsed.host;
}

/** A whole Compozy tool file. */
export function compozyText({ name, description, input }: ToolSketch): string {
  return stringify({ resource: 'tool', id: name, description, timeout: '30s', input });
}

/** What a Compozy entry point starts as. */
export function compozyEntrypoint(name: string): string {
  return `export default {\n  ${JSON.stringify(name)}: async (input, config) => {\n    return { input };\n  },\n};\n`;
}

/** A program that answers with its own input: one line of JSON on stdout, as agentcli wants. */
export const AGENTCLI_PROGRAM =
  '#!/bin/sh\n# The arguments are JSON on standard input; the answer is one line of JSON.\ncat\n';

/** Adds an entry to a `tools.json`; every other byte stays as it was written. */
export function addEntry(text: string, entry: object): string {
  const base = text.trim() === '' ? '{\n  "tools": []\n}\n' : text;
  const root = parseTree(base);
  const list = root && findNodeAtLocation(root, ['tools']);
  const last = list?.children?.at(-1);
  const format = detectFormat(base);
  if (last === undefined) {
    const edits = modify(base, ['tools', -1], entry, {
      formattingOptions: format,
      isArrayInsertion: true,
    });
    return applyEdits(base, edits);
  }
  const [, margin = ''] = /\n([ \t]*)[^\n]*$/.exec(base.slice(0, last.offset)) ?? [];
  const eol = format.eol ?? '\n';
  const indent = format.insertSpaces ? ' '.repeat(format.tabSize ?? 2) : '\t';
  const written = JSON.stringify(entry, undefined, indent).replaceAll('\n', `${eol}${margin}`);
  const end = last.offset + last.length;
  return `${base.slice(0, end)},${eol}${margin}${written}${base.slice(end)}`;
}

/** The indentation and line ends that the text already has. */
function detectFormat(text: string): FormattingOptions {
  const [, indent = '  '] = /\n([ \t]+)\S/.exec(text) ?? [];
  const insertSpaces = !indent.startsWith('\t');
  return {
    insertSpaces,
    tabSize: insertSpaces ? indent.length : 1,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
}

/** The `manifest.toml` of a new bundle. */
export function bundleManifest(name: string, tools: string): string {
  const digest = toDigest(Buffer.from(tools));
  return `name = ${JSON.stringify(name)}\nversion = "0.1.0"\n\n[artifacts.tools]\npath = "tools.json"\nblake3 = "${digest}"\nversion = 1\n`;
}

export interface NewCaps {
  readonly fs: readonly string[];
  readonly net: readonly string[];
  readonly kbRead: readonly string[];
  readonly kbWrite: readonly string[];
  readonly secrets: readonly string[];
  readonly exec: boolean;
}

/** The `policy.caps` of a new bundle: what is not listed is denied. */
export function bundleCaps(caps: NewCaps): string {
  const row = (key: string, list: readonly string[]): string =>
    `${key} = [${[...new Set(list)].map((each) => JSON.stringify(each)).join(', ')}]\n`;
  return (
    '[capabilities]\n' +
    row('fs', caps.fs) +
    row('net', caps.net) +
    row('kb_read', caps.kbRead) +
    row('kb_write', caps.kbWrite) +
    row('secrets', caps.secrets) +
    (caps.exec ? 'exec = true\n' : '')
  );
}

/** A schema that fits an example: every field of it is required, others are refused. */
export function schemaFromExample(example: unknown): object {
  if (Array.isArray(example)) {
    return { type: 'array', ...(example.length > 0 && { items: schemaFromExample(example[0]) }) };
  }
  if (typeof example === 'object' && example !== null) {
    const properties = Object.fromEntries(
      Object.entries(example).map(([name, value]) => [name, schemaFromExample(value)]),
    );
    return {
      type: 'object',
      properties,
      required: Object.keys(example),
      additionalProperties: false,
    };
  }
  if (typeof example === 'number')
    return { type: Number.isInteger(example) ? 'integer' : 'number' };
  return example === null ? {} : { type: typeof example };
}
