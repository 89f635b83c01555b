// An MCP server for tests: the first argument says how it misbehaves.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [mode, file = ''] = process.argv.slice(2);
const send = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const tool = (name, more = {}) => ({
  name,
  description: 'A tool.',
  inputSchema: { type: 'object' },
  ...more,
});

if (file !== '' && mode !== 'tools' && mode !== 'prompt storm') appendFileSync(file, 'started\n');
if (mode === 'dies at start') {
  process.stderr.write('there is no database\n');
  process.exit(3);
}
if (mode === 'floods at start') {
  const line = `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } })}\n`;
  const write = () => {
    while (process.stdout.write(line.repeat(1000)));
    process.stdout.once('drain', write);
  };
  write();
}
if (mode === 'endless line') {
  const write = () => {
    while (process.stdout.write('x'.repeat(65536)));
    process.stdout.once('drain', write);
  };
  write();
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') {
    if (mode === 'hangs at start') return;
    const { protocolVersion } = params;
    const content = mode.startsWith('content') && { resources: {}, prompts: {}, completions: {} };
    if (mode === 'prompt storm') {
      setInterval(() => send({ method: 'notifications/prompts/list_changed' }), 2);
      const capabilities = { prompts: { listChanged: true } };
      const serverInfo = { name: 'x', version: '1' };
      return send({ id, result: { protocolVersion, capabilities, serverInfo } });
    }
    const capabilities = { tools: { listChanged: true }, ...content };
    send({
      id,
      result: { protocolVersion, capabilities, serverInfo: { name: 'x', version: '1' } },
    });
  } else if (method === 'tools/list') listTools(id, params);
  else if (method === 'tools/call') callTool(id, params);
  else if (mode !== 'content-hang') offerContent(id, method, params);
});

function offerContent(id, method, params) {
  const many = Array.from({ length: 3000 }, (_, at) => ({
    uri: at % 2 === 0 ? `x://${at}` : `x://\u202e${at}`,
    name: `r\u202e${at}`,
  }));
  if (method === 'resources/list') {
    return send({ id, result: { resources: mode === 'content-bad' ? 'none' : many } });
  }
  if (method === 'resources/templates/list') {
    const odd = ['x://{a}', 'x://{a', 'x://b', 'x://\u202e{a}', `x://{${'a'.repeat(3000)}}`];
    const resourceTemplates = odd.map((uriTemplate) => ({ uriTemplate, name: 'Odd' }));
    return send({ id, result: { resourceTemplates } });
  }
  if (method === 'completion/complete') {
    const values = ['plain', 'hid\u200bden', 'two\nlines', 'x'.repeat(400)];
    return send({ id, result: { completion: { values } } });
  }
  if (mode === 'prompt storm' && method === 'prompts/list') {
    return send({ id, result: { prompts: JSON.parse(readFileSync(file, 'utf8')) } });
  }
  if (method === 'prompts/list') {
    const prompts = mode === 'content-bad' ? [{}] : [{ name: 'good' }, { name: 'b\u200bad' }];
    return send({ id, result: { prompts } });
  }
  const { uri } = params ?? {};
  const binary = { uri, blob: 'AAAA', mimeType: 'application/zip' };
  const contents = [uri === 'x://binary' ? binary : { uri, text: 'y'.repeat(900_000) }];
  if (method === 'resources/read') send({ id, result: { contents } });
}

let lists = 0;

/** JSON that is nested far deeper than `JSON.stringify` goes. */
function sendDeep(id, before, after) {
  const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
  const result = `${before}${deep}${after}`;
  process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}\n`);
}

function listTools(id, params) {
  if (mode === 'deep data') {
    const [fine, deep] = [tool('fine'), tool('deep')].map((each) => JSON.stringify(each));
    return sendDeep(id, `{"tools":[${fine},${deep.slice(0, -1)},"_meta":`, '}]}');
  }
  if (mode === 'list storm') {
    if (lists === 0) setInterval(() => send({ method: 'notifications/tools/list_changed' }), 2);
    lists += 1;
    return send({ id, result: { tools: [tool(`listed_${lists}`)] } });
  }
  if (mode === 'endless pages') {
    const page = Number(params?.cursor ?? 0) + 1;
    return send({ id, result: { tools: [tool(`act${page}`)], nextCursor: String(page) } });
  }
  if (mode === 'tools')
    return send({ id, result: { tools: JSON.parse(readFileSync(file, 'utf8')) } });
  if (mode === 'invalid list') return send({ id, result: { tools: [{ name: 5 }] } });
  if (mode === 'odd tools') {
    const odd = [
      tool('fine'),
      tool('a*b'),
      tool('fine'),
      tool('big', { description: 'x'.repeat(200_000) }),
      tool('a-b'),
      tool('a_b'),
    ];
    return send({ id, result: { tools: odd } });
  }
  return send({ id, result: { tools: [tool('act'), tool('more')] } });
}

function callTool(id, { name, arguments: input }) {
  const text = (value) => send({ id, result: { content: [{ type: 'text', text: value }] } });
  if (mode === 'hangs in a call') return;
  if (mode === 'deep data') {
    return sendDeep(id, '{"content":[{"type":"text","text":"words"}],"structuredContent":', '}');
  }
  if (mode === 'dies in a call') process.exit(7);
  if (mode === 'huge result') return text('y'.repeat(9_000_000));
  if (mode === 'too large result') return text('y'.repeat(11_000_000));
  if (mode === 'invalid result') return send({ id, result: { content: 'no list' } });
  if (mode === 'noise') process.stdout.write('Loading…\n{"no": "message"}\n\n');
  if (mode === 'error result') {
    return send({
      id,
      result: { isError: true, content: [{ type: 'text', text: 'no such issue' }] },
    });
  }
  if (mode === 'error that names a sign-in') {
    const message = 'Unauthorized: the token lacks the scope "repo"';
    return send({ id, error: { code: -32000, message } });
  }
  if (mode === 'error') return send({ id, error: { code: -32000, message: 'it broke' } });
  if (mode === 'changes list') send({ method: 'notifications/tools/list_changed' });
  if (mode === 'env') return text(JSON.stringify(process.env));
  if (mode === 'writes') {
    try {
      appendFileSync(input.path, 'x');
    } catch (fault) {
      return text(String(fault.code));
    }
    return text(existsSync(input.path) ? 'written' : 'not written');
  }
  return text(`${name} ${JSON.stringify(input)}`);
}
