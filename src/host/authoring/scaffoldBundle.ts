import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import {
  addEntry,
  bundleCaps,
  bundleManifest,
  EMPTY_DOCUMENT,
  getHost,
  type NewCaps,
  type NewTransport,
  runloopEntry,
} from '../../declared/authoring.ts';
import { readDocument } from '../../declared/manifest/parseDocument.ts';
import { withDigest } from '../../declared/runloop/parseBundle.ts';
import type { CommandIo } from '../command.ts';

/** What the command line says of a bundle. */
export interface BundleOptions {
  readonly folder: string;
  readonly name: string;
  readonly force: boolean;
  readonly interactive: boolean;
  /** One entry, given in words of the command line; then an existing bundle is added to. */
  readonly entry: AskedEntry | undefined;
  readonly caps: Pick<NewCaps, 'fs' | 'net' | 'kbRead' | 'kbWrite'>;
}

export interface AskedEntry {
  readonly id: string;
  readonly entry: object;
  /** Undefined for `exec`. */
  readonly host: string | undefined;
  readonly secrets: readonly string[];
}

export type Files = Readonly<Record<string, string>>;

/** The files of a bundle (spec D-28, D-44), or what is wrong. The digest is always that of the new document. */
export async function bundleFiles(io: CommandIo, options: BundleOptions): Promise<Files | string> {
  const { folder, name, force, interactive, entry } = options;
  if (!/^[a-z][a-z0-9_]*$/.test(name)) return `invalid agent name '${name}'`;
  const isNew = force || !existsSync(folder);
  if (!isNew && entry === undefined) return `path already exists: ${folder}`;
  const asked = entry === undefined ? undefined : [entry];
  const entries = asked ?? (interactive ? await askEntries(io) : []);
  const before =
    (isNew ? undefined : readIfThere(path.join(folder, 'tools.json'))) ?? EMPTY_DOCUMENT;
  const fault = existingFault(before, entries);
  if (fault !== undefined) return fault;
  const tools = entries.reduce((text, each) => addEntry(text, each.entry), before);
  const manifest = isNew ? undefined : readIfThere(path.join(folder, 'manifest.toml'));
  const caps = isNew ? undefined : readIfThere(path.join(folder, 'policy.caps'));
  return {
    'tools.json': tools,
    'manifest.toml':
      manifest === undefined ? bundleManifest(name, tools) : withDigest(manifest, tools),
    ...(caps === undefined && { 'policy.caps': bundleCaps(toCaps(options, entries)) }),
  };
}

function existingFault(text: string, entries: readonly AskedEntry[]): string | undefined {
  const { value, faults } = readDocument('tools.json', text);
  if (faults.length > 0) return 'tools.json is not JSON: mend it first';
  const taken = JSON.stringify(value);
  const twice = entries.find(({ id }) => taken.includes(`"id":${JSON.stringify(id)}`));
  return twice && `the tool ${twice.id} is there already`;
}

function toCaps({ caps }: BundleOptions, entries: readonly AskedEntry[]): NewCaps {
  return {
    ...caps,
    net: [...caps.net, ...entries.flatMap(({ host }) => host ?? [])],
    secrets: entries.flatMap(({ secrets }) => secrets),
    exec: entries.some(({ host }) => host === undefined),
  };
}

export function readIfThere(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** Offers entries until the author has no more (spec D-28). The end of the input is a no. */
async function askEntries(io: CommandIo): Promise<readonly AskedEntry[]> {
  const input = createInterface({ input: io.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  const lines = input[Symbol.asyncIterator]();
  const ask = async (question: string): Promise<string> => {
    io.stdout.write(question);
    const next = await lines.next();
    return next.done ? '' : next.value.trim();
  };
  const asked: AskedEntry[] = [];
  while (/^y/i.test(await ask('Add a tool? [y/N] '))) asked.push(await askEntry(ask));
  input.close();
  return asked;
}

type Ask = (question: string) => Promise<string>;

async function askEntry(ask: Ask): Promise<AskedEntry> {
  const id = await askUntil(ask, 'Id (such as mail.send): ', (text) =>
    /^[A-Za-z0-9_./-]+$/.test(text),
  );
  const description = await askUntil(ask, 'Description: ', (text) => text !== '');
  const kind = await askUntil(ask, 'Transport (exec or http): ', (text) =>
    /^(?:exec|http)$/.test(text),
  );
  const listed = await ask('Secret ids, separated by commas (none): ');
  const secrets = listed
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);
  const input = { type: 'object' };
  if (kind === 'exec') {
    const command = await askUntil(ask, 'Absolute path of the program: ', path.isAbsolute);
    return toAsked({ id, description, input, secrets, transport: { kind, command } });
  }
  const method = (await ask('Method (POST): ')).toUpperCase() || 'POST';
  const url = await askUntil(ask, 'URL: ', (text) => getHost(text) !== undefined);
  return toAsked({ id, description, input, secrets, transport: { kind: 'http', method, url } });
}

export function toAsked(tool: {
  readonly id: string;
  readonly description: string;
  readonly input: object;
  readonly secrets: readonly string[];
  readonly transport: NewTransport;
}): AskedEntry {
  const { id, description, input, secrets, transport } = tool;
  const host = transport.kind === 'http' ? getHost(transport.url) : undefined;
  return {
    id,
    host,
    secrets,
    entry: runloopEntry({ name: id, description, input }, transport, secrets),
  };
}

/** Asks again after an answer that does not fit, three times in all. */
async function askUntil(
  ask: Ask,
  question: string,
  fits: (text: string) => boolean,
): Promise<string> {
  for (let attempt = 0; attempt < 3; attempt++) {
    const text = await ask(question);
    if (fits(text)) return text;
  }
  throw new Error(`no answer fits: ${question.trim()}`);
}
