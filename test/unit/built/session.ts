import assert from 'node:assert/strict';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { toDigest } from '../../../src/declared/runloop/parseBundle.ts';
import type { Script } from '../../tour/server.ts';
import type { Wire } from '../acp/validate.ts';
import { temporary } from '../host/harness.ts';
import { type Host, promptOf, start } from '../host/stdioHost.ts';
import { type Files, gatehouse, MAIN, place } from './program.ts';

/** A workspace and a data folder for the built host. */
export interface Bed {
  readonly root: string;
  readonly workspace: string;
  readonly data: string;
}

type FilesIn = (workspace: string) => Files;

export interface BedSetUp {
  /** Below the workspace, whose path some files contain. */
  readonly files?: Files | FilesIn;
  /** Below the data folder. */
  readonly dataFiles?: Files;
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** The files are in place, and every manifest is accepted. */
export async function makeBed(t: TestContext, setUp: BedSetUp = {}): Promise<Bed> {
  const root = await temporary(t);
  const bed = { root, workspace: path.join(root, 'w'), data: path.join(root, 'data') };
  for (const folder of [bed.workspace, bed.data]) await mkdir(folder);
  const { files = {} } = setUp;
  await place(bed.workspace, typeof files === 'function' ? files(bed.workspace) : files);
  const { settings = {}, dataFiles = {} } = setUp;
  await place(bed.data, { 'settings.json': settings, ...dataFiles });
  if (setUp.files !== undefined) await acceptAll(bed);
  return bed;
}

export async function acceptAll({ workspace, data }: Bed): Promise<void> {
  const { code, stdout, stderr } = await gatehouse(['accept', '.'], {
    cwd: workspace,
    env: { GATEHOUSE_DATA: data },
  });
  assert.ok(code === 0 || /no manifests/.test(stdout + stderr), `${code} ${stdout}${stderr}`);
}

export interface Call {
  readonly tool: string;
  readonly input?: unknown;
}

export interface SessionSetUp {
  readonly calls?: readonly Call[];
  /** Instead of `calls`: the model's whole script. */
  readonly script?: Script;
  readonly env?: NodeJS.ProcessEnv;
  /** `_meta.gatehouse` of `session/new`. */
  readonly meta?: object;
  /** The option chosen for an ask; the first one unless said. */
  readonly answer?: (ask: Wire, nth: number) => string;
  /** `_meta.gatehouse` of the answers. */
  readonly answerMeta?: (nth: number) => object | undefined;
  readonly capabilities?: object;
  /** Requests of the host besides permission requests. */
  readonly other?: (message: Wire) => unknown;
}

export interface Seen {
  readonly host: Host;
  readonly sessionId: string;
  /** What the model got back of its calls, in order: JSON, parsed. */
  readonly results: readonly unknown[];
  /** The permission requests. */
  readonly asks: readonly Wire[];
  /** The tools that the model was offered. */
  readonly offered: readonly string[];
}

/** Runs one turn of the built `gatehouse acp`: the model makes the calls, one a step. */
export async function converse(t: TestContext, bed: Bed, setUp: SessionSetUp = {}): Promise<Seen> {
  const host = await open(t, bed, setUp);
  const sessionId = await newSession(host, bed, setUp.meta);
  return takeTurn(host, sessionId, setUp);
}

/** Starts the built host; it gets everything that the set-up says of the model and the client. */
export async function open(t: TestContext, bed: Bed, setUp: SessionSetUp = {}): Promise<Host> {
  const steps = (setUp.calls ?? []).map(({ tool, input = {} }, index) => ({
    calls: [{ tool, input, id: `call${index}` }],
  }));
  const script = setUp.script ?? [...steps, { text: 'Done.' }];
  const host = await start(t, {
    data: bed.data,
    program: MAIN,
    script,
    ...(setUp.env && { env: setUp.env }),
  });
  const clientCapabilities = setUp.capabilities ?? {};
  await host.request('initialize', { protocolVersion: 1, clientCapabilities });
  return host;
}

export async function newSession(host: Host, bed: Bed, meta: object = {}): Promise<string> {
  const params = { cwd: bed.workspace, mcpServers: [], _meta: { gatehouse: meta } };
  const reply = await host.request('session/new', params);
  assert.equal(reply.error, undefined, JSON.stringify(reply.error));
  return Object(reply.result).sessionId;
}

/** Prompts, and answers what the host asks until the turn is over. */
export async function takeTurn(
  host: Host,
  sessionId: string,
  { answer = () => 'allow', answerMeta, other }: SessionSetUp = {},
): Promise<Seen> {
  const before = host.lines.length;
  const turn = host.request('session/prompt', promptOf(sessionId));
  const asks: Wire[] = [];
  let over = false;
  let read = before;
  void turn.finally(() => {
    over = true;
  });
  while (!over) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    for (; read < host.lines.length; read++) {
      const line = host.lines[read];
      const message = line?.message;
      if (line?.from !== 'agent' || message?.id === undefined || !message.method) continue;
      if (message.method === 'session/request_permission') {
        asks.push(message);
        const optionId = answer(message, asks.length - 1);
        const outcome = { outcome: 'selected', optionId };
        const meta = answerMeta?.(asks.length - 1);
        host.send({
          id: message.id,
          result: { outcome, ...(meta && { _meta: { gatehouse: meta } }) },
        });
      } else host.send({ id: message.id, result: other?.(message) ?? {} });
    }
  }
  const { result, error } = await turn;
  assert.deepEqual(result, { stopReason: 'end_turn' }, JSON.stringify(error));
  const { body, conversation } = host.model.requests.at(-1) ?? assert.fail('no request');
  const messages = Array.isArray(body['messages']) ? body['messages'] : [];
  const results = messages
    .map(Object)
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => parse(String(content)));
  return { host, sessionId, results, asks, offered: conversation.tools };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The audit log's rows, in order. */
export async function readAudit({ data }: Bed): Promise<readonly Row[]> {
  const folder = path.join(data, 'state/audit');
  const names = await readdir(folder).catch(() => []);
  const texts = await Promise.all(
    names.sort().map((name) => readFile(path.join(folder, name), 'utf8')),
  );
  return texts.flatMap((text) => text.trim().split('\n')).map((line) => JSON.parse(line));
}

export type Row = Readonly<Record<string, unknown>>;

/** An agentcli manifest in the folder `shop` with one tool, `x`, of this shell script. */
export function agentcli(script: string, more: object = {}): Files {
  return {
    'shop/tools.json': { tools: [{ name: 'x', command: ['./tools/bin/x'], ...more }] },
    'shop/tools/bin/x': `#!/bin/sh\n${script}\n`,
  };
}

/** A Runloop bundle in the folder `shop` with one exec tool, `x`, of this shell script, and all it needs granted. */
export function runloop(script: string, more: object = {}, caps = 'exec = true'): FilesIn {
  const tool = { id: 'x', description: 'd', input_schema: {}, result_schema: {} };
  return (workspace) => {
    const transport = { kind: 'exec', command: path.join(workspace, 'shop/bin/x') };
    const document = JSON.stringify({ version: 1, tools: [{ ...tool, transport, ...more }] });
    return {
      'shop/tools.json': document,
      'shop/manifest.toml': toManifest(document),
      'shop/policy.caps': `[capabilities]\n${caps}\n`,
      'shop/bin/x': `#!/bin/sh\n${script}\n`,
    };
  };
}

/** The `manifest.toml` of a bundle named `shop`. */
export function toManifest(document: string): string {
  const digest = toDigest(Buffer.from(document));
  return `name = "shop"\n[artifacts.tools]\npath = "tools.json"\nblake3 = "${digest}"\nversion = 1\n`;
}

/** A Compozy project in the folder `shop` with one tool, `x`, of this body of `(input, config) => …`. */
export function compozy(body: string, more: object = {}, project: object = {}): Files {
  return {
    'shop/compozy.yaml': { name: 'shop', ...project },
    'shop/tools/x.yaml': { resource: 'tool', id: 'x', ...more },
    'shop/tools.ts': `export async function x(input: any, config: any) { ${body} }\n`,
  };
}

/** The fields of an envelope, or of `{"error": text}`. */
export function fields(result: unknown): Readonly<Record<string, unknown>> {
  return Object(result);
}
