import { spawnSync } from 'node:child_process';
import { MODEL_ID, startModelServer } from '../tour/server.ts';
import { createTour } from '../tour/tour.ts';
import { installServer } from './install.ts';
import { copySample } from './sample.ts';
import { startServer } from './server.ts';
import { buildVsix } from './vsix.ts';

/**
 * `npm start`: a real VS Code in the browser with Gatehouse installed from its .vsix, on a copy of
 * the sample. Without a model in the environment a scripted tour plays one. `PORT` fixes the port;
 * `TEST_VSIX` names a package that is built already.
 */
installServer();
const vsix = process.env['TEST_VSIX'] || buildVsix();
const model = modelOf(process.env) ?? (await startTour());
const sample = copySample();
commitAll(sample.folder);
const port = Number(process.env['PORT'] || 0);
const server = await startServer({ vsix, port, env: model.env });

console.log(`
${model.line}
Open this in a browser, choose Gatehouse in the activity bar and ask it to "fix the failing test":

  ${server.url}/?folder=${encodeURI(sample.folder)}

Ctrl+C ends it.`);

/** Source Control then shows what the agent changes, and nothing else. */
function commitAll(folder: string): void {
  const author = ['-c', 'user.name=Gatehouse', '-c', 'user.email=tour@example.invalid'];
  for (const args of [
    ['add', '.'],
    [...author, 'commit', '--quiet', '--message', 'Sample'],
  ])
    spawnSync('git', args, { cwd: folder });
}

let ending = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.removeAllListeners(signal);
  process.on(signal, () => void end());
}

async function end(): Promise<void> {
  if (ending) return;
  ending = true;
  await server.stop();
  await model.stop();
  sample.dispose();
  process.exit(0);
}

interface Model {
  readonly env: NodeJS.ProcessEnv;
  readonly line: string;
  stop(): Promise<void>;
}

function modelOf(env: NodeJS.ProcessEnv): Model | undefined {
  const names = ['GATEHOUSE_MODEL_BASE_URL', 'GATEHOUSE_MODEL_ID', 'GATEHOUSE_MODEL_API_KEY'];
  if (!env['GATEHOUSE_MODEL_BASE_URL']) return undefined;
  const given = names.flatMap((name) => (env[name] ? [[name, env[name]]] : []));
  return {
    env: Object.fromEntries(given),
    line: `The model is ${env['GATEHOUSE_MODEL_ID'] ?? '(no GATEHOUSE_MODEL_ID)'} at ${env['GATEHOUSE_MODEL_BASE_URL']}.`,
    stop: async () => undefined,
  };
}

async function startTour(): Promise<Model> {
  const { url, stop } = await startModelServer({ script: createTour() });
  const env = { GATEHOUSE_MODEL_BASE_URL: url, GATEHOUSE_MODEL_ID: MODEL_ID, GATEHOUSE_TOUR: '1' };
  return {
    env,
    stop,
    line: 'No model is set (GATEHOUSE_MODEL_BASE_URL), so a scripted tour answers.',
  };
}
