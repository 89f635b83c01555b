import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Script } from '../../tour/server.ts';
import {
  type Connected,
  connect,
  lastStatus,
  prompt,
  temporary,
  calls as updatesOf,
} from './harness.ts';

const OLD = '{ "old": true }\n';
const NEW = '{ "gatehouse.permissions": [] }\n';
const RULES = [
  { permission: '*', pattern: '*', action: 'allow' },
  { permission: '*', pattern: '**', action: 'allow' },
  { permission: 'bash', pattern: '*', action: 'allow' },
  { permission: 'fs.write', pattern: '**', action: 'allow' },
];

/** Everything that rules are read from, of a user whose open folder is the home folder. */
const FILES = {
  folder: '.vscode/settings.json',
  second: 'second/.vscode/settings.json',
  workspace: 'team.code-workspace',
  user: '.config/Code/User/settings.json',
  insiders: '.config/Code - Insiders/User/settings.json',
  profile: '.config/VSCodium/User/profiles/3f/settings.json',
  portable: 'data/user-data/User/settings.json',
  remote: '.vscode-server/data/Machine/settings.json',
  own: '.config/gatehouse/settings.json',
  named: 'conf/rules.json',
  agent: '.gatehouse/agents/docs.md',
  accepted: '.local/share/gatehouse/state/accepted.json',
} as const;

/** The home folder: a repository with a branch, a stash and a patch that change the settings. */
async function makeHome(t: TestContext): Promise<string> {
  const home = await temporary(t);
  const place = (name: string, text: string) => {
    mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
    writeFileSync(path.join(home, name), text);
  };
  const git = (...words: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...words], {
      cwd: home,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  for (const name of Object.values(FILES)) place(name, OLD);
  place('new.json', NEW);
  place(FILES.named, JSON.stringify({ permissions: RULES }));
  place('.gitignore', 'new.json\nchange.patch\nlinked\nhard\nhardUser\nfolder\n.local\n');
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'Old.');
  place(FILES.folder, NEW);
  writeFileSync(path.join(home, 'change.patch'), git('diff'));
  git('stash', '-q');
  git('checkout', '-q', '-b', 'other');
  place(FILES.folder, NEW);
  git('commit', '-qam', 'New.');
  git('checkout', '-q', 'main');
  symlinkSync(FILES.folder, path.join(home, 'linked'));
  symlinkSync('.vscode', path.join(home, 'folder'));
  linkSync(path.join(home, FILES.folder), path.join(home, 'hard'));
  linkSync(path.join(home, FILES.user), path.join(home, 'hardUser'));
  return home;
}

interface Call {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

const bash = (command: string): Call => ({ tool: 'bash', input: { command } });

/** Calls that would each change this file. */
function changesOf(file: string): readonly Call[] {
  const quoted = `'${file}'`;
  const patch = `--- a/${file}\n+++ b/${file}\n@@ -1 +1 @@\n-${OLD}+${NEW}`;
  return [
    { tool: 'write', input: { path: file, content: NEW } },
    { tool: 'edit', input: { path: file, old_string: 'old', new_string: 'new' } },
    { tool: 'apply_patch', input: { patch } },
    bash(`echo '{}' > ${quoted}`),
    bash(`echo '{}' >> ${quoted}`),
    bash(`cp new.json ${quoted}`),
    bash(`mv new.json ${quoted}`),
    bash(`tee ${quoted} < new.json`),
    bash(`sed -i s/old/new/ ${quoted}`),
    bash(`ln -sf "$PWD/new.json" ${quoted}`),
    bash(`dd if=new.json of=${quoted}`),
    bash(`rm ${quoted}`),
    bash(`cd ${`'${path.posix.dirname(file)}'`} && cp ~/new.json ${path.posix.basename(file)}`),
  ];
}

/** The first is asked about as a file tool, the others as commands. */
const someChangesOf = (file: string) => changesOf(file).filter((_, index) => index % 3 === 0);

const MORE: readonly Call[] = [
  ...['linked', 'hard', 'hardUser', 'folder/settings.json'].flatMap(someChangesOf),
  ...[
    'git checkout other',
    'git checkout other -- .vscode/settings.json',
    'git checkout other -- .',
    'git restore --source=other .vscode/settings.json',
    'git reset --hard other',
    'git merge other',
    'git cherry-pick other',
    'git apply change.patch',
    'git stash pop',
    'git stash apply',
    'patch -p1 < change.patch',
    'cp new.json .vscod[e]/settings.json',
    'mv .vscode old',
    'rm -r .config/Code',
    'mv .config old',
    'rm -r .config',
    'mv second old',
    'cp -r second other',
    'rsync -a --delete empty/ .config/',
    'git rm -rq second',
    'mv .local old',
    'rm -rf conf data',
    'mv second .config/Code/User',
    'cp new.json .config/Code/User',
    'cp -r second/. .config/gatehouse/',
    'mv -t .config/VSCodium/User/profiles/3f new.json',
    'ln -sfn ../second .config/Code/User',
    'cp -r second/. .',
    'ln new.json .vscode/other.json',
  ].map(bash),
];

interface Ran {
  readonly host: Connected;
  readonly asked: ReadonlySet<string>;
}

/** Runs all calls, of which the user rejects each that asks. Ids are the indexes. */
async function run(t: TestContext, home: string, calls: readonly Call[]): Promise<Ran> {
  const asked = new Set<string>();
  const steps = calls.map((call, index) => ({ calls: [{ ...call, id: `c${index}` }] }));
  const script: Script = [...steps, { text: 'Done.' }];
  const host = await connect(t, {
    ...{ data: path.join(home, '.local/share/gatehouse'), workspace: home, script },
    env: { GATEHOUSE_CONFIG: path.join(home, FILES.named) },
    client: {
      permission({ toolCall }) {
        asked.add(toolCall.toolCallId);
        return { outcome: { outcome: 'selected', optionId: 'reject' } };
      },
    },
  });
  const { sessionId } = await host.agent.request('session/new', {
    ...{ cwd: home, mcpServers: [], additionalDirectories: [path.join(home, 'second')] },
  });
  await prompt(host, sessionId);
  return { host, asked };
}

/** Whether the gate refused the call: one that ran and failed by chance doesn't count. */
function isRefused(host: Connected, id: string): boolean {
  const updates = updatesOf(host).filter(({ toolCallId }) => toolCallId === id);
  return /capabilities don't allow this call|own state/.test(JSON.stringify(updates));
}

const TABLE: Readonly<Record<string, readonly Call[]>> = {
  'of the folder': changesOf(FILES.folder),
  'of the user': changesOf(FILES.user),
  acceptances: changesOf(FILES.accepted),
  'all others': Object.values(FILES).flatMap(someChangesOf),
  'by links and git': MORE,
};

for (const [what, calls] of Object.entries(TABLE)) {
  test(`no rule silences the ask before rules are written: ${what}`, async (t) => {
    const home = await makeHome(t);
    const texts = () =>
      Object.values(FILES).map((file) => readFileSync(path.join(home, file), 'utf8'));
    const before = texts();
    const control = [bash('cp new.json plain.json'), bash('echo x > plain.txt')];
    const { host, asked } = await run(t, home, [...control, ...calls]);
    const status = lastStatus(host);
    const silent = calls.filter((_, index) => {
      const id = `c${index + control.length}`;
      return !asked.has(id) && !isRefused(host, id);
    });
    assert.deepEqual(silent, []);
    assert.deepEqual(texts(), before);
    assert.deepEqual([status['c0'], status['c1']], ['completed', 'completed']);
    assert.ok(!asked.has('c0') && !asked.has('c1'), 'the rules allow everything else');
  });
}
