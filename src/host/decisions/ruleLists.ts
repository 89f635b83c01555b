import { createHash, randomUUID } from 'node:crypto';
import { rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readRegularText } from '../../base/disk/readRegular.ts';
import { parseJson } from '../../base/json.ts';
import { MB } from '../../base/units.ts';
import type { Rule } from '../../permissions/rules/rule.ts';

/** The hashes of the rules in force, by where they are from: `user`, or `folder /w/.vscode/settings.json`. */
export type RuleRefs = Readonly<Record<string, string>>;

/** Stores lists of rules by their content, each once, so that decisions can refer to them. */
export interface RuleLists {
  toRefs(rules: readonly Rule[]): RuleRefs;
  /** Writes the lists that the refs name, unless they are there. */
  store(refs: RuleRefs): Promise<void>;
  /** The rules of the refs; those that are gone or damaged are left out. */
  load(refs: RuleRefs): readonly Rule[];
}

/** Lists that are kept in memory until they are written. */
const KEPT = 200;

export function createRuleLists(folder: string, redact: (text: string) => string): RuleLists {
  const known = new WeakMap<readonly Rule[], RuleRefs>();
  const texts = new Map<string, string>();
  const stored = new Set<string>();
  const toFile = (hash: string) => path.join(folder, `${hash}.json`);

  function toRef(rules: readonly Rule[]): string {
    const text = redact(`${JSON.stringify(rules)}\n`);
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 32);
    if (stored.has(hash)) return hash;
    if (texts.size >= KEPT) texts.clear();
    texts.set(hash, text);
    return hash;
  }

  async function storeOne(hash: string): Promise<void> {
    const text = texts.get(hash);
    if (stored.has(hash) || text === undefined) return;
    const file = toFile(hash);
    const now = new Date();
    // A host that was killed, or a full disk, may have left a part of it.
    const found = await stat(file).catch(() => undefined);
    // In use again, so it is not among the oldest, which are removed.
    if (found?.size === Buffer.byteLength(text)) await utimes(file, now, now);
    else await replaceFile(file, text);
    stored.add(hash);
    texts.delete(hash);
  }

  return {
    toRefs(rules) {
      let refs = known.get(rules);
      if (refs === undefined) {
        refs = Object.fromEntries(
          [...Map.groupBy(rules, toSource)].map(([source, own]) => [source, toRef(own)]),
        );
        known.set(rules, refs);
      }
      return refs;
    },
    async store(refs) {
      for (const hash of Object.values(refs)) await storeOne(hash);
    },
    load: (refs) =>
      Object.values(refs).flatMap((hash) => {
        if (!/^[0-9a-f]{32}$/.test(hash)) return [];
        const read = readRegularText(toFile(hash), 16 * MB);
        const rules = read.state === 'read' ? parseJson(read.text) : undefined;
        return Array.isArray(rules) ? rules : [];
      }),
  };
}

/** The file has all of the text or stays as it was. */
async function replaceFile(file: string, text: string): Promise<void> {
  const next = `${file}.${randomUUID()}.new`;
  try {
    await writeFile(next, text, { mode: 0o600 });
    await rename(next, file);
  } catch (fault) {
    await rm(next, { force: true });
    throw fault;
  }
}

function toSource({ origin, source }: Rule): string {
  const layer = origin?.layer ?? source;
  return origin?.file === undefined ? layer : `${layer} ${origin.file}`;
}
