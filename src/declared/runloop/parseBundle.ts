import path from 'node:path';
import { blake3 } from '@noble/hashes/blake3.js';
import { parse } from 'smol-toml';
import { isRecord } from '../../base/json.ts';
import type { Diagnostics, Fix } from '../manifest/diagnostic.ts';
import { getField, type JsonObject } from '../manifest/parsePointer.ts';
import { readText, type Surroundings } from '../manifest/parseSurroundings.ts';
import { type CapsLayer, firstLine, parseCaps } from './parseCaps.ts';

/** The files beside a `tools.json` that make it a Runloop bundle. */
export const BUNDLE_FILES = ['manifest.toml', 'policy.caps'] as const;

/** The other files of a Runloop bundle. */
export interface Bundle {
  /** The agent's name: from `manifest.toml`, else the folder's. */
  readonly name: string;
  /** The name in `manifest.toml`. */
  readonly ownName: string | undefined;
  /** Undefined if `policy.caps` is invalid, or missing in a bundle: none of the tools is loaded. */
  readonly caps: CapsLayer | undefined;
}

/** BLAKE3 of the raw bytes, lower-case hex (spec D-35). */
export function toDigest(bytes: Uint8Array): string {
  return Buffer.from(blake3(bytes)).toString('hex');
}

/**
 * Validates `manifest.toml` and `policy.caps` against the document (spec D-3 … D-5, D-31 … D-39). Without
 * `manifest.toml` there is no digest to compare.
 */
export function validateBundle(
  folder: string,
  tools: string,
  diagnostics: Diagnostics,
  surroundings: Surroundings,
): Bundle {
  const file = path.join(folder, 'manifest.toml');
  const read = readText(surroundings, file);
  if (read.state === 'unreadable') {
    diagnostics.error('', `cannot read manifest.toml: ${read.why}`);
  }
  const name =
    read.state === 'read' ? validateManifest(file, read.text, tools, diagnostics) : undefined;
  return {
    name: name ?? path.basename(folder),
    ownName: name,
    caps: validateCaps(folder, read.state !== 'absent', diagnostics, surroundings),
  };
}

function validateManifest(
  file: string,
  text: string,
  tools: string,
  diagnostics: Diagnostics,
): string | undefined {
  let root: JsonObject;
  try {
    root = parse(text);
  } catch (error) {
    diagnostics.error('', `manifest.toml: ${firstLine(error)}`);
    return undefined;
  }
  if (Object.hasOwn(root, 'tools')) {
    const message =
      'manifest.toml has a [tools] table: tools.json is the one source of tool metadata';
    diagnostics.warning('', message);
  }
  const artifacts = getField(root, 'artifacts');
  const entry = isRecord(artifacts) ? getField(artifacts, 'tools') : undefined;
  const digest = toDigest(Buffer.from(tools));
  if (isRecord(entry)) validateArtifact(entry, file, text, tools, digest, diagnostics);
  else {
    const message = 'manifest.toml has no [artifacts.tools]: the attachments are not trusted';
    const table = `\n[artifacts.tools]\npath = "tools.json"\nblake3 = "${digest}"\nversion = 1\n`;
    const edits = [{ offset: text.length, length: 0, text: table }];
    diagnostics.error('', message, { fix: { title: 'Add [artifacts.tools]', file, edits } });
  }
  const name = getField(root, 'name');
  return typeof name === 'string' && name !== '' ? name : undefined;
}

function validateArtifact(
  entry: JsonObject,
  file: string,
  text: string,
  tools: string,
  digest: string,
  diagnostics: Diagnostics,
): void {
  const version = getField(entry, 'version') ?? 1;
  if (version !== 1) {
    const hint = 'Downgrade the file to version 1, or update Gatehouse.';
    diagnostics.error('', `unsupported tools.json version ${version} (supported: 1)`, { hint });
  }
  const documentPath = getField(entry, 'path');
  if (documentPath !== 'tools.json') {
    diagnostics.error(
      '',
      `artifacts.tools.path must be "tools.json" (got ${JSON.stringify(documentPath ?? null)})`,
    );
  }
  const expected = getField(entry, 'blake3');
  if (typeof expected !== 'string' || !/^[0-9a-fA-F]{64}$/.test(expected)) {
    diagnostics.error('', 'artifacts.tools.blake3 must be 64 hexadecimal digits', {
      fix: digestFix(file, text, digest),
    });
    return;
  }
  if (expected.toLowerCase() === digest) return;
  // A checkout with other line endings has another digest; name that as the reason (spec DA-19).
  const unix = tools.replaceAll('\r\n', '\n');
  const isLineEnds = toDigest(Buffer.from(unix)) === expected.toLowerCase();
  const reason = isLineEnds ? '; the file has CRLF line endings, the digest is for LF' : '';
  const message = `tools.json digest mismatch (expected ${expected}, got ${digest})${reason}`;
  diagnostics.error('', message, { fix: digestFix(file, text, digest) });
}

/** Returns `manifest.toml` with the digest of the document, unchanged if it has no `blake3`. */
export function withDigest(manifest: string, tools: string): string {
  const [edit] = digestFix('manifest.toml', manifest, toDigest(Buffer.from(tools)))?.edits ?? [];
  if (edit === undefined) return manifest;
  return manifest.slice(0, edit.offset) + edit.text + manifest.slice(edit.offset + edit.length);
}

/** The fix that updates the digest in `manifest.toml`. */
function digestFix(file: string, text: string, digest: string): Fix | undefined {
  const table = /^[ \t]*\[\s*artifacts\s*\.\s*tools\s*\]/m.exec(text);
  if (table === null) return undefined;
  const from = table.index + table[0].length;
  const value = /^([ \t]*blake3\s*=\s*)(["'])([^"'\n]*)\2/m.exec(text.slice(from));
  if (value === null) return undefined;
  const [, before = '', , old = ''] = value;
  const offset = from + value.index + before.length + 1;
  return {
    title: 'Update the digest',
    file,
    edits: [{ offset, length: old.length, text: digest }],
  };
}

function validateCaps(
  folder: string,
  isBundle: boolean,
  diagnostics: Diagnostics,
  surroundings: Surroundings,
): CapsLayer | undefined {
  const file = path.join(folder, 'policy.caps');
  const read = readText(surroundings, file);
  if (read.state === 'unreadable') {
    diagnostics.error('', `cannot read policy.caps: ${read.why}`);
    return undefined;
  }
  if (read.state === 'absent') {
    // Without a bundle there is no grant, which is reported for each tool.
    if (!isBundle) return {};
    diagnostics.error('', `missing policy.caps at ${file}`);
    return undefined;
  }
  const parsed = parseCaps(read.text);
  if (parsed.ok) return parsed.caps;
  diagnostics.error('', parsed.error);
  return undefined;
}
