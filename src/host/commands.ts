import type { Readable, Writable } from 'node:stream';

/** What a command may touch of its process, so that tests can run it in-process. */
export interface CommandIo {
  /** The words after the command's name. */
  readonly args: readonly string[];
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/** A command resolves to its exit code: 0 done, 1 the answer is an error, 2 misuse. */
export type Command = (io: CommandIo) => Promise<number>;

interface Entry {
  readonly help: string;
  load(): Promise<{ readonly run: Command }>;
}

const COMMANDS: Readonly<Record<string, Entry>> = {
  acp: { help: 'speak ACP on stdio (what editors start)', load: () => import('./acp.ts') },
  call: { help: 'run one tool call through the gate', load: () => import('./call.ts') },
  explain: {
    help: 'say what the rules decide on calls, and why',
    load: () => import('./explain.ts'),
  },
  check: { help: 'find the faults in tool manifests', load: () => import('./check.ts') },
  tools: { help: 'export the tools of manifests', load: () => import('./toolsExport.ts') },
  scaffold: { help: 'write a first tool or bundle', load: () => import('./scaffold.ts') },
  accept: { help: 'accept tool manifests as they are now', load: () => import('./acceptTools.ts') },
};

export const USAGE = `usage: gatehouse <command>\n${Object.entries(COMMANDS)
  .map(([name, { help }]) => `  ${name.padEnd(10)}${help}\n`)
  .join('')}`;

/** Undefined when no command, or none of that name, was given. */
export function parseCommand(
  words: readonly string[],
): { readonly args: readonly string[]; readonly run: Command } | undefined {
  const [name = '', ...args] = words;
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (entry === undefined) return undefined;
  return { args, run: async (io) => (await entry.load()).run(io) };
}
