import { type ChildProcess, spawn } from 'node:child_process';

/** A line of ACP, parsed and not judged. */
export type Message = Readonly<Record<string, unknown>>;

export interface AcpProcess {
  readonly pid: number;
  /** Every line the agent wrote, in order. */
  readonly lines: readonly Message[];
  readonly stderr: () => string;
  /** Resolves to the result; rejects with the error's message and `data` as `cause`. */
  request(method: string, params: object): Promise<Message>;
  notify(method: string, params: object): void;
  /** Resolves with the first line, also an earlier one, that fits. */
  waitFor(fits: (message: Message) => boolean): Promise<Message>;
  /** Closes its input and waits for its end. */
  end(): Promise<number | null>;
  kill(): void;
}

/** Answers of the client by method; what has none gets "method not found". */
export type ClientAnswers = Readonly<Record<string, (params: Message) => unknown>>;

/** Starts an ACP agent and speaks raw lines with it: what is on the wire is what a test sees. */
export function startAcpProcess(
  command: readonly [string, ...string[]],
  options: {
    readonly cwd: string;
    readonly env: NodeJS.ProcessEnv;
    readonly answers?: ClientAnswers;
  },
): AcpProcess {
  const [program, ...args] = command;
  const { cwd, env } = options;
  const child = spawn(program, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
  const lines: Message[] = [];
  const waiters = new Set<(message: Message) => void>();
  const pending = new Map<unknown, PromiseWithResolvers<Message>>();
  let stderr = '';
  let ids = 0;

  const send = (message: object) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  };
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.on('error', () => undefined);
  readLines(child, (message) => {
    lines.push(message);
    for (const waiter of waiters) waiter(message);
    const { method, id } = message;
    if (typeof method === 'string' && id !== undefined) {
      void answer(message, options.answers ?? {}).then((reply) => send({ id, ...reply }));
    } else if (method === undefined) settle(pending, message);
  });
  const ended = new Promise<number | null>((resolve) => {
    child.on('close', (code) => {
      for (const { reject } of pending.values()) reject(new Error(`the agent ended: ${stderr}`));
      resolve(code);
    });
  });
  return {
    pid: child.pid ?? -1,
    lines,
    stderr: () => stderr,
    request: (method, params) => {
      const id = ++ids;
      const reply = Promise.withResolvers<Message>();
      pending.set(id, reply);
      send({ id, method, params });
      return reply.promise;
    },
    notify: (method, params) => send({ method, params }),
    waitFor: (fits) =>
      new Promise((resolve) => {
        const earlier = lines.find(fits);
        if (earlier) return resolve(earlier);
        const waiter = (message: Message) => {
          if (!fits(message)) return;
          waiters.delete(waiter);
          resolve(message);
        };
        waiters.add(waiter);
      }),
    end: () => {
      child.stdin.end();
      return ended;
    },
    kill: () => child.kill('SIGKILL'),
  };
}

function readLines(child: ChildProcess, take: (message: Message) => void): void {
  // A line of megabytes comes in many pieces, which are joined once.
  let rest: string[] = [];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const [first = '', ...others] = text.split('\n');
    rest.push(first);
    for (const piece of others) {
      take(JSON.parse(rest.join('')));
      rest = [piece];
    }
  });
}

async function answer(message: Message, answers: ClientAnswers): Promise<object> {
  const handler = answers[String(message['method'])];
  if (handler === undefined) return { error: { code: -32601, message: 'method not found' } };
  const params = message['params'];
  return {
    result: await handler(typeof params === 'object' && params !== null ? { ...params } : {}),
  };
}

function settle(pending: Map<unknown, PromiseWithResolvers<Message>>, message: Message): void {
  const waiting = pending.get(message['id']);
  pending.delete(message['id']);
  const { result, error } = message;
  if (typeof error === 'object' && error !== null && 'message' in error) {
    const cause = 'data' in error ? error.data : undefined;
    waiting?.reject(new Error(String(error.message), { cause }));
  } else {
    waiting?.resolve(typeof result === 'object' && result !== null ? { ...result } : {});
  }
}
