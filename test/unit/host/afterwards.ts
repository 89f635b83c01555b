import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import type { RequestPermissionRequest } from '@agentclientprotocol/sdk';
import {
  parseResolveResult,
  parseUnreviewedFiles,
  parseUnreviewedTexts,
  type ResolveChanges,
} from '../../../src/acp/gatehouse/pending.ts';
import type { ModelRequest, Reply } from '../../tour/server.ts';
import { connect, newSession, temporary } from './harness.ts';

const SHOWS = { _meta: { gatehouse: { v: 1, review: true, unreviewed: true, terminal: false } } };
export const OLD = Array.from({ length: 12 }, (_, at) => `line ${at + 1}\n`).join('');

interface SetUp {
  readonly replies: readonly Reply[];
  readonly files?: Readonly<Record<string, string>>;
  readonly settings?: object;
  readonly capabilities?: object;
  readonly allow?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** Adds to the workspace what is no text. */
  readonly plant?: (at: (name: string) => string) => void;
}

/** A session with `review.mode: afterwards` whose model plays `replies`. */
export async function start(t: TestContext, { replies, files = {}, settings, ...more }: SetUp) {
  const data = await temporary(t);
  const values = { 'review.mode': 'afterwards', ...settings };
  writeFileSync(path.join(data, 'settings.json'), JSON.stringify(values));
  const asked: ModelRequest[] = [];
  const asks: RequestPermissionRequest[] = [];
  const host = await connect(t, {
    data,
    ...(more.env && { env: more.env }),
    client: {
      capabilities: more.capabilities ?? SHOWS,
      permission: (params) => {
        asks.push(params);
        return { outcome: { outcome: 'selected', optionId: more.allow ? 'allow' : 'reject' } };
      },
    },
    script: (request) => {
      asked.push(request);
      return replies[asked.length - 1] ?? { text: 'Nothing more.' };
    },
  });
  const at = (name: string) => path.join(host.workspace, name);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    writeFileSync(at(name), text);
  }
  more.plant?.(at);
  const sessionId = await newSession(host);
  return {
    ...{ host, asked, asks, at, sessionId },
    text: (name: string) => (existsSync(at(name)) ? readFileSync(at(name), 'utf8') : undefined),
    /** The unreviewed files as the client was last told. */
    list() {
      const sent = host.lines.flatMap((line) => {
        const { method, params } = Object(Object(line).message ?? line);
        return method === '_gatehouse/unreviewed_changed' ? [parseUnreviewedFiles(params)] : [];
      });
      return sent.at(-1)?.files ?? [];
    },
    async resolve(
      decision: ResolveChanges['decision'],
      hunks?: readonly number[],
      ...names: string[]
    ) {
      const files = this.list()
        .filter((file) => names.length === 0 || names.includes(path.basename(file.path)))
        .map(({ path: file, revision }) => ({ path: file, revision, ...(hunks && { hunks }) }));
      const params = { sessionId, decision, files };
      return parseResolveResult(await host.agent.request('_gatehouse/resolve_changes', params));
    },
    async texts(name: string) {
      const params = { sessionId, path: at(name) };
      return parseUnreviewedTexts(await host.agent.request('_gatehouse/unreviewed', params));
    },
    body: (index: number) => JSON.stringify(asked.at(index)?.body),
  };
}

export function edit(name: string, line: number, text: string) {
  const input = { path: name, old_string: `line ${line}\n`, new_string: text };
  return { tool: 'edit', input };
}
