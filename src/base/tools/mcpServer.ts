import { holdsRelativeFile, isLoading } from './serverVariables.ts';

/** Where an entry comes from: the user's settings, a file of the workspace, or the client that opened the session. */
export type ServerOrigin = 'settings' | 'workspace' | 'session';

/** One MCP server as configured (spec CS-49). Plain data. */
export interface McpServer {
  /** As written; unique within its source only. */
  readonly name: string;
  readonly origin: ServerOrigin;
  /** The file that names it, absolute; for settings, a name under which acceptances are kept. */
  readonly file: string;
  readonly how: StdioServer | HttpServer;
  /** What the entry says, with its variables unread: what the user is shown and accepts. */
  readonly shown: string;
  /** SHA-256 of what the user accepts before the server is started. */
  readonly hash: string;
  /** For each request, in milliseconds. */
  readonly timeoutMs: number;
  /** What the user has to give before it can be started; `how` is then as written. Absent: nothing. */
  readonly missing?: readonly ServerInput[];
}

/** A value that an entry leaves to the user: `${input:id}`. */
export interface ServerInput {
  readonly id: string;
  readonly description?: string;
  /** It is hidden while the user types. */
  readonly password: boolean;
  /** What the user starts from. */
  readonly initial?: string;
  /** The values to choose from. Absent: any. */
  readonly options?: readonly string[];
}

export interface StdioServer {
  readonly type: 'stdio';
  /** Program and arguments, started without a shell. */
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. */
  readonly cwd: string;
  /** Hosts that it may reach from the sandbox: names, `*.name`, `host:port`, or `*` for any public one. */
  readonly hosts: readonly string[];
  /** False: it runs outside of the sandbox, because the entry says so. */
  readonly sandbox: boolean;
}

export interface HttpServer {
  readonly type: 'http' | 'sse';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** How its sign-in knows this client. Absent: the client registers itself. */
  readonly clientId?: string;
}

/** One question for a value. */
export interface InputAsk {
  /** The server's name, for the user. */
  readonly server: string;
  readonly input: ServerInput;
  /** What the value is kept under: an entry that changed gets no value of its former self. */
  readonly key: string;
  /** The user wants to give another value than the kept one. */
  readonly again: boolean;
}

/** Asks the user, or finds the kept value. Undefined: the user gave none. */
export type AskInput = (asked: InputAsk) => Promise<string | undefined>;

/** What the user may do with a server. `restart` asks again for its inputs. */
export const SERVER_ACTIONS = ['restart', 'signIn', 'signOut'] as const;
export type ServerAction = (typeof SERVER_ACTIONS)[number];

/** An entry that can't be used, with the reason for the user. */
export interface BadServer {
  readonly name: string;
  readonly file: string;
  readonly why: string;
}

/**
 * What decides what runs and what it reaches, in one line. `cwd`: as the entry says it. Without values of headers, and
 * of variables that decide neither, but with what they take from the environment: a file of the workspace could send a
 * token away.
 */
export function describeServer(how: McpServer['how'], cwd?: unknown): string {
  if (how.type !== 'stdio') {
    return `${how.url}${list('headers', Object.keys(how.headers))}${listTaken(how.headers)}`;
  }
  const words = how.argv.map(toWord);
  const folder = typeof cwd === 'string' ? list('in', [toWord(cwd)]) : '';
  const variables = `${list('variables', Object.entries(how.env).map(toVariable))}${listTaken(how.env)}`;
  const sandbox = how.sandbox ? '' : ' · outside the sandbox';
  return `${words.join(' ')}${folder}${variables}${list('hosts', how.hosts)}${sandbox}`;
}

/** Their values are not shown. */
const SECRET = /(?<!GIT_CONFIG_)KEY|TOKEN|SECRET|(?<!ASK)PASS|CREDENTIAL|AUTH|COOKIE/i;

/** `npx server` with `NODE_OPTIONS=--require=./x.js` runs `x.js`, too. */
function toVariable([name, value]: readonly [string, string]): string {
  const isShown =
    !SECRET.test(name) && (isLoading(name) || value.startsWith('-') || holdsRelativeFile(value));
  return isShown ? `${name}=${toWord(value)}` : name;
}

function toWord(text: string): string {
  return /^[\w./:@%+=,${}-]+$/.test(text) ? text : JSON.stringify(text);
}

function list(what: string, names: readonly string[]): string {
  return names.length > 0 ? ` · ${what} ${names.join(', ')}` : '';
}

function listTaken(values: Readonly<Record<string, string>>): string {
  const taken = Object.values(values).flatMap((value) => value.match(/\$\{[^{}]*\}/g) ?? []);
  return list('with', [...new Set(taken)]);
}

/** How rules and requests to the user call what a server asks of the model; no tool of a server has this name. */
export const SAMPLING = 'sampling';

/** The capability that every tool of a server needs. An agent with such a tool has it. */
export const SERVER_CALL = 'mcp.call';
