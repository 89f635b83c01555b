/**
 * The worker's program (spec B-30 … B-34), given to Node with `--eval`: it imports the entry point, calls
 * `fn(input, config)` once and writes one JSON object. The request comes on standard input.
 */
export const WORKER = `
const { readFileSync } = await import('node:fs');
const { pathToFileURL } = await import('node:url');
const reply = process.stdout.write.bind(process.stdout);
delete process.env.ELECTRON_RUN_AS_NODE;
const started = performance.now();
let request = {};
const finish = (result, error, code) => {
  const { tool_id = null, tool_exec_id = null } = request;
  const metadata = { tool_id, tool_exec_id, execution_time: Math.round(performance.now() - started) };
  let text;
  try {
    text = JSON.stringify({ result: result ?? null, error, metadata }, finite);
  } catch (fault) {
    text = JSON.stringify({ result: null, error: describe(fault), metadata });
  }
  reply(text + '\\n', () => process.exit(code));
};
// JSON would hold null instead.
const finite = (key, value) => {
  if (typeof value !== 'number' || Number.isFinite(value)) return value;
  throw new TypeError('the result has ' + value + ' at "' + key + '", which JSON cannot hold');
};
const describe = (fault, name) => {
  const { tool_id = null, tool_exec_id = null } = request;
  const known = fault instanceof Error;
  return {
    message: known ? fault.message : String(fault),
    name: name ?? (known ? fault.name : 'UnknownError'),
    ...(known && fault.stack ? { stack: fault.stack } : {}),
    tool_id, tool_exec_id, timestamp: new Date().toISOString(),
  };
};
const { Console } = await import('node:console');
const { Writable } = await import('node:stream');
const tagged = (level) => {
  const write = (text, _, done) => process.stderr.write('[' + level.toUpperCase() + '] ' + text, done);
  return new Writable({ decodeStrings: false, write });
};
// Counters, timers and groups belong to one console; standard output is the reply's alone.
const log = new Console({ stdout: tagged('log'), stderr: tagged('error') });
for (const level of ['log', 'debug', 'info', 'warn', 'error']) {
  log[level] = new Console({ stdout: tagged(level), stderr: tagged(level) })[level];
}
for (const name of Object.keys(console)) {
  if (typeof log[name] === 'function' && name !== 'Console') console[name] = log[name];
}
process.on('uncaughtException', (fault) => finish(null, describe(fault), 1));
process.on('unhandledRejection', (fault) => finish(null, describe(fault), 1));
try {
  request = JSON.parse(readFileSync(0, 'utf8'));
} catch {
  finish(null, describe(new Error('Invalid JSON input'), 'ParseError'), 1);
}
const { tool_id } = request;
if (typeof tool_id !== 'string' || tool_id === '' || tool_id.includes('..')) {
  const message = 'Invalid tool_id: must be a non-empty string without directory traversal';
  finish(null, describe(new Error(message), 'ValidationError'), 1);
} else {
  try {
    const module = await import(pathToFileURL(request.entrypoint).href);
    const fallback = module.default;
    const exported = typeof fallback === 'object' && fallback !== null ? fallback : module;
    const own = (holder, key) => holder !== null && typeof holder === 'object' && Object.hasOwn(holder, key);
    const camel = tool_id.replace(/[-_/.]+(.)/g, (_, letter) => letter.toUpperCase());
    const names = [tool_id, tool_id.replace(/[-/.]/g, '_'), camel];
    const found = [exported, module].flatMap((holder) => names.filter((name) => own(holder, name)).map((name) => holder[name]));
    const run = found.find((each) => typeof each === 'function');
    if (run === undefined) {
      const available = Object.keys(exported).filter((name) => typeof exported[name] === 'function');
      const list = available.length > 0 ? available.join(', ') : 'none';
      const message = 'Tool ' + tool_id + ' not found in entrypoint exports. Available tools: ' + list;
      finish(null, describe(new Error(message), 'ToolNotFound'), 0);
    } else {
      finish(await run(request.input, request.config), null, 0);
    }
  } catch (fault) {
    finish(null, describe(fault), 0);
  }
}
`;
