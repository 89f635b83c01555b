// An MCP server for tests of its sandbox: it runs a line of sh, or asks the proxy that it was given for a URL.
import { spawnSync } from 'node:child_process';
import { request } from 'node:http';
import { createInterface } from 'node:readline';

const send = (id, result) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
const text = (id, value) => send(id, { content: [{ type: 'text', text: value }] });

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') {
    const { protocolVersion } = params;
    const serverInfo = { name: 'x', version: '1' };
    send(id, { protocolVersion, capabilities: { tools: {} }, serverInfo });
  } else if (method === 'tools/call') {
    const { name, arguments: input } = params;
    if (name === 'run') {
      const { stdout, stderr } = spawnSync('sh', ['-c', input.line], { encoding: 'utf8' });
      text(id, stdout + stderr);
    } else if (name === 'env') text(id, JSON.stringify(process.env));
    else ask(input.url, (said) => text(id, said));
  }
});

/** The status that the proxy answers with. */
function ask(url, done) {
  const proxy = new URL(process.env.HTTP_PROXY);
  const { protocol, hostname, port } = new URL(url);
  const tunnel = protocol === 'https:' && {
    method: 'CONNECT',
    path: `${hostname}:${port || 443}`,
  };
  const asked = request({
    host: proxy.hostname,
    port: proxy.port,
    path: url,
    agent: false,
    ...tunnel,
  });
  const end = (answer) => {
    asked.destroy();
    done(String(answer.statusCode));
  };
  asked.once('response', end).once('connect', end);
  asked.once('error', (fault) => done(fault.message));
  asked.end();
}
