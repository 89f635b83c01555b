import { execFileSync, spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { listen } from '../netBed.ts';

const ENV = {
  PATH: process.env['PATH'],
  HOME: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  ...{ GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@example.com' },
  ...{ GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@example.com' },
};

/** Runs git for a test, without any configuration. */
export function git(cwd: string, args: readonly string[], input?: string | Buffer): string {
  const options = ['-c', 'init.defaultBranch=main', '-c', 'protocol.file.allow=always'];
  return execFileSync('git', [...options, ...args], {
    cwd,
    env: ENV,
    encoding: 'utf8',
    input,
    stdio: ['pipe', 'pipe', 'ignore'],
  }).trim();
}

/** An entry of a tree, with its mode; a tree is given by its entries. */
export type Entries = Readonly<
  Record<string, readonly [mode: string, content: string | Buffer] | TreeOf>
>;
interface TreeOf {
  readonly tree: Entries;
}

function writeTree(cwd: string, entries: Entries): string {
  const lines = Object.entries(entries).map(([name, entry]) => {
    if ('tree' in entry) return `040000 tree ${writeTree(cwd, entry.tree)}\t${name}`;
    const [mode, content] = entry;
    if (mode === '160000') return `160000 commit ${content}\t${name}`;
    const id = git(cwd, ['hash-object', '-w', '--stdin'], content);
    return `${mode} blob ${id}\t${name}`;
  });
  return git(cwd, ['mktree', '--missing', '-z'], `${lines.join('\0')}\0`);
}

/** A bare repository below `root` whose only commit holds exactly these entries, whatever they are called. */
export function writeRepository(root: string, name: string, entries: Entries): void {
  git(root, ['init', '--quiet', '--bare', name]);
  const folder = path.join(root, name);
  const commit = git(folder, ['commit-tree', '-m', 'One', writeTree(folder, entries)]);
  git(folder, ['update-ref', 'refs/heads/main', commit]);
}

export interface GitServer extends AsyncDisposable {
  /** Without a final slash. */
  readonly url: string;
  readonly port: number;
  /** The requests that arrived, as `METHOD url`. */
  readonly requests: string[];
  /** Headers of the requests that arrived. */
  readonly headers: IncomingMessage['headers'][];
}

/** Serves the repositories below `root` by git's own program over HTTP on loopback. */
export async function openGitServer(
  root: string,
  before?: (request: IncomingMessage, response: ServerResponse) => boolean,
): Promise<GitServer> {
  const requests: string[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    headers.push(request.headers);
    if (before?.(request, response)) return;
    serve(root, request, response).catch(() => response.destroy());
  });
  const port = await listen(server);
  return {
    ...{ port, requests, headers, url: `http://127.0.0.1:${port}` },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Speaks CGI with `git http-backend`. */
async function serve(root: string, request: IncomingMessage, response: ServerResponse) {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const child = spawn('git', ['http-backend'], {
    env: {
      ...ENV,
      ...{ GIT_PROJECT_ROOT: root, GIT_HTTP_EXPORT_ALL: '1', PATH_INFO: pathname },
      REQUEST_METHOD: request.method,
      QUERY_STRING: searchParams.toString(),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  void pipeline(request, child.stdin).catch(() => undefined);
  let head = Buffer.alloc(0);
  for await (const chunk of child.stdout) {
    if (response.headersSent) {
      response.write(chunk);
      continue;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) continue;
    const lines = head.toString('latin1', 0, end).split('\r\n');
    const fields = lines.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]);
    const status = fields.find(([name]) => name === 'Status')?.[1] ?? '200';
    response.writeHead(
      Number.parseInt(status, 10),
      Object.fromEntries(fields.filter(([name]) => name !== 'Status')),
    );
    response.write(head.subarray(end + 4));
  }
  response.end();
}
