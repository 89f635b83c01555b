import { existsSync } from 'node:fs';
import path from 'node:path';
import { getDialectFacts } from '../../../base/tools/dialectFacts.ts';
import { readDocument } from '../../manifest/parseDocument.ts';
import { addEntry } from '../../scaffold/addEntry.ts';
import { readIfPresent, type Scaffold, type ScaffoldRequest } from '../../scaffold/scaffold.ts';
import { withDigest } from '../parseBundle.ts';
import { type AskedEntry, askEntries, toAskedEntry } from './askEntries.ts';
import {
  EMPTY_DOCUMENT,
  getHost,
  type NewCaps,
  toBundleCaps,
  toBundleManifest,
} from './newBundle.ts';

const { nameQuestion, toolQuestion } = getDialectFacts('runloop');

/**
 * The files of a bundle (spec D-28, D-44); `tool` adds one entry, also to an existing bundle. The digest
 * is always that of the new document.
 */
export const scaffoldRunloop: Scaffold = async (request) => {
  const { tool, root, force, ask, options } = request;
  const entry = options.tool === undefined ? undefined : toEntry(request, options.tool);
  if (typeof entry === 'string') return entry;
  const { name } = tool;
  if (!nameQuestion.pattern.test(name)) return `invalid agent name '${name}'`;
  const folder = path.join(root, 'agents', name);
  const isNew = force || !existsSync(folder);
  if (!isNew && entry === undefined) return `path already exists: ${folder}`;
  const read = (file: string) => (isNew ? undefined : readIfPresent(path.join(folder, file)));
  const given = entry === undefined ? undefined : [entry];
  const entries = given ?? (ask === undefined ? [] : await askEntries(ask));
  const before = read('tools.json') ?? EMPTY_DOCUMENT;
  const problem = findProblem(before, entries);
  if (problem !== undefined) return problem;
  const tools = entries.reduce((text, each) => addEntry(text, each.entry), before);
  const manifest = read('manifest.toml');
  const files = {
    'tools.json': tools,
    'manifest.toml':
      manifest === undefined ? toBundleManifest(name, tools) : withDigest(manifest, tools),
    ...(read('policy.caps') === undefined && {
      'policy.caps': toBundleCaps(toCaps(request, entries)),
    }),
  };
  return { folder, files };
};

function toEntry({ tool, options }: ScaffoldRequest, id: string): AskedEntry | string {
  const { description, input } = tool;
  const { command, url, method, secret: secrets } = options;
  if (!toolQuestion?.pattern.test(id)) return `invalid tool id '${id}'`;
  if (command !== undefined && path.isAbsolute(command)) {
    return toAskedEntry({ id, description, input, secrets, transport: { kind: 'exec', command } });
  }
  if (url === undefined || getHost(url) === undefined) {
    return '--command needs an absolute path, or --url a URL';
  }
  const transport = { kind: 'http', method: method.toUpperCase(), url } as const;
  return toAskedEntry({ id, description, input, secrets, transport });
}

/** Why the entries cannot be added to the document. */
function findProblem(text: string, entries: readonly AskedEntry[]): string | undefined {
  const { value, parseErrors } = readDocument('tools.json', text);
  if (parseErrors.length > 0) return 'tools.json is not valid JSON: fix it first';
  const taken = JSON.stringify(value);
  const twice = entries.find(({ id }) => taken.includes(`"id":${JSON.stringify(id)}`));
  return twice && `the tool ${twice.id} already exists`;
}

function toCaps({ options }: ScaffoldRequest, entries: readonly AskedEntry[]): NewCaps {
  return {
    fs: options['cap-fs'],
    net: [...options['cap-net'], ...entries.flatMap(({ host }) => host ?? [])],
    kbRead: options['cap-kb-read'],
    kbWrite: options['cap-kb-write'],
    secrets: entries.flatMap(({ secrets }) => secrets),
    exec: entries.some(({ host }) => host === undefined),
  };
}
