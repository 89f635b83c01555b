import type { ToolSketch } from '../../scaffold/scaffold.ts';
import { toDigest } from '../parseBundle.ts';

/** The text of a document without attachments (spec D-28). */
export const EMPTY_DOCUMENT = '{\n  "version": 1,\n  "tools": []\n}\n';

export type NewTransport =
  | { readonly kind: 'exec'; readonly command: string }
  | { readonly kind: 'http'; readonly method: string; readonly url: string };

/** An attachment, with the capability that its transport needs. */
export function toAttachment(
  tool: ToolSketch,
  transport: NewTransport,
  secrets: readonly string[],
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

/** The host of a URL, with its port unless it is the scheme's default. */
export function getHost(url: string): string | undefined {
  const parsed = URL.parse(url.replaceAll(/\{[^{}]*\}/g, 'x'));
  return parsed === null || parsed.host === '' ? undefined : parsed.host;
}

/** The `manifest.toml` of a new bundle. */
export function toBundleManifest(name: string, tools: string): string {
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
export function toBundleCaps(caps: NewCaps): string {
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
