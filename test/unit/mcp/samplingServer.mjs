// An MCP server for tests: its tool sends the given requests all at once, to the model or (`form`) to the user, and
// returns the answers.
import { createInterface } from 'node:readline';

const send = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const waiting = new Map();
let asked = 0;
// A server that does not end with its input.
if (process.argv[2] === 'stays') setInterval(() => undefined, 1000);

function ask(params) {
  asked += 1;
  const id = `sample-${asked}`;
  const { form } = params;
  if (form === undefined) send({ id, method: 'sampling/createMessage', params });
  else send({ id, method: 'elicitation/create', params: form });
  return new Promise((resolve) => waiting.set(id, resolve));
}

async function callTool(id, { arguments: { requests } }) {
  // In one write: whoever reads one of them has them all.
  process.stdout.cork();
  const asking = requests.map(ask);
  process.stdout.uncork();
  const answers = await Promise.all(asking);
  send({ id, result: { content: [{ type: 'text', text: JSON.stringify(answers) }] } });
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === undefined) waiting.get(id)?.(result ?? error);
  else if (method === 'initialize') {
    const { protocolVersion } = params;
    const serverInfo = { name: 'sampler', version: '1' };
    send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
  } else if (method === 'tools/list') {
    const inputSchema = { type: 'object' };
    const tools = ['ask', 'sampling'].map((name) => ({ name, description: name, inputSchema }));
    send({ id, result: { tools } });
  } else if (method === 'tools/call') void callTool(id, params);
});
