import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { explainLine } from '../../../../../src/host/cli/explainLine.ts';

// A protected file always asks, also when a program builds its name from several words.

async function decide(command: string): Promise<string> {
  const program = command.split(' ')[0];
  const literal = command.replaceAll("'", '');
  const rules = [`${program} *`, literal].map((pattern) => ({
    permission: 'bash',
    pattern,
    action: 'allow',
  }));
  const line = { tool: 'bash', input: { command }, workspace: '/nonexistent/w', rules };
  return (await explainLine(JSON.stringify(line), { scratch: '/nonexistent/s' })).decision;
}

const PREPARE = `echo x > x; echo y > tools.; echo y > tools; mkdir a; echo z > a/tools.
git init -q; git config user.email a@b; git config user.name a; echo '{}' > tools.json; git add tools.json
git commit -qm a; git archive -o a.tar HEAD; gzip -c x > tools.json.q; gzip -c x > tools.json_z; git rm -q tools.json; git commit -qm b; rm -f tools.json`;

/** Each makes \`tools.json\`, as the real program shows. */
const MAKES = [
  'cp -b -S json x tools.',
  'cp -bSjson x tools.',
  'cp --backup --suf=json x tools.',
  'cp -b -S json -t a tools. && mv a/tools.json .',
  'mv -b -S json x tools.',
  'install -b -S json x tools.',
  'ln -b -S json x tools.',
  'sed -i.json s/y/z/ tools',
  'sed -ni.json p tools',
  'sed --in-place=.json s/y/z/ tools',
  "sed -i'*.json' s/y/z/ tools",
  "sed -n 'w tools.json' x",
  "sed 's/x/y/w tools.json' x",
  'perl -i.json -pe 1 tools',
  'perl -pi.json -e 1 tools',
  'csplit -s -f tools. -b json%.0d x 1',
  'split -a 1 -n 20 a.tar tools.jso',
  'split -n 400 a.tar tools.js',
  'gzip -d -S .q tools.json.q',
  'gzip -dS.q tools.json.q',
  'gunzip --suffix=.q tools.json.q',
  'gzip -d tools.json_z',
  'gzip -S json tools.',
  'git diff --output=tools.json HEAD~',
  'git archive -o tools.json HEAD',
  'git archive --output tools.json HEAD~',
  'git checkout HEAD~ -- tools.json',
  'git restore --source=HEAD~ tools.json',
  'git mv x tools.json',
];

for (const command of MAKES) {
  test(`${command} makes a protected file, so it asks`, async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-derived-'));
    try {
      const add = command.startsWith('git mv') ? 'git add x' : '';
      const script = `${PREPARE}\n${add}\n${command}`;
      const env = { ...process.env, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };
      execFileSync('bash', ['-c', script], { cwd: folder, env, stdio: 'ignore' });
      assert.ok(existsSync(path.join(folder, 'tools.json')), 'the program did not make it');
    } finally {
      rmSync(folder, { recursive: true });
    }
    assert.equal(await decide(command), 'ask');
  });
}

/** Their programs need a network, or are not on every machine. */
for (const command of [
  'rsync -b --suffix=json x tools.',
  'gawk -i inplace -v inplace::suffix=.json 1 tools',
  'patch -b -z json tools. x.patch',
  'patch -b -B .vscode/ settings.json x.patch',
  'split -b 1 x y --additional-suffix=.code-workspace',
  'split --hex-suffixes=13 -a1 x AGENTS.m',
  'split --suffix-len 1 x .npmr',
  'gsplit -b 1 -a 1 -- x CLAUDE.m',
  'xz -S json tools.',
  'unxz -S .q tools.json.q',
  'gzip -d .npmrc-gz',
  'wget https://h.example/tools.json',
  'wget -P .vscode https://h.example/settings.json',
  'wget -x https://h.example/.vscode/settings.json',
  'wget -nH -x https://h.example/.vscode/settings.json',
  'wget --force-directories https://h.example/.vscode/settings.json',
  'wget https://h.example/%74ools.json',
  'aria2c https://h.example/tools.json',
  'aria2c -d .vscode https://h.example/settings.json',
  'curl -O https://h.example/tools.json',
  'curl -sSLO https://h.example/tools.json',
  'curl --output-dir .vscode -O https://h.example/settings.json',
  'git clone https://h.example/.vscode',
  'git clone https://h.example/.vscode.git --depth 1',
  'git clone -q h.example:.vscode',
  'git submodule add https://h.example/x',
  'git update-index --add --cacheinfo 100644,0123456789,.vscode/settings.json',
  'git update-index --add --cacheinfo 100644 0123456789 .vscode/settings.json',
  'git update-index --add tools.json',
  'git interpret-trailers --in-place tools.json',
  'git interpret-trailers --in-place --trailer a:b AGENTS.md',
  'git mailinfo tools.json x',
  'git format-patch -o .vscode HEAD',
  'git checkout-index -f .vscode/settings.json',
]) {
  test(`${command} writes a protected file, so it asks`, async () => {
    assert.equal(await decide(command), 'ask');
  });
}

async function decideWild(command: string): Promise<string> {
  const program = command.split(' ')[0];
  const rules = [{ permission: 'bash', pattern: `${program} *`, action: 'allow' }];
  const line = { tool: 'bash', input: { command }, workspace: '/nonexistent/w', rules };
  return (await explainLine(JSON.stringify(line), { scratch: '/nonexistent/s' })).decision;
}

/** The names come from a server, an archive or a list, so an allow must spell the command out. */
for (const command of [
  'wget -r https://h.example/',
  'wget --content-disposition https://h.example/x',
  'wget --trust-server-names https://h.example/x',
  'wget -i list',
  'aria2c a.torrent',
  'gunzip -N a.gz',
  'gzip -dN a.gz',
  'gzip -d --name a.gz',
  'unpigz -N a.gz',
  'csplit -b x%d a 1',
  'split -a 3 x tools.j',
  'split -a 4 -x x part-',
  'mmv a b',
  'git update-index --index-info',
  'git update-index --stdin',
  'git rm --pathspec-from-file=list',
  'git checkout-index --stdin',
  'tar xf a.tar -C out --transform s,^,../,',
]) {
  test(`${command} takes names from data, so a wildcard does not allow it`, async () => {
    assert.equal(await decideWild(command), 'ask');
    assert.equal(await decide(command), 'allow');
  });
}

for (const command of [
  'cp x y',
  'cp -b -S .bak x y',
  'sed -n s/w/x/p f',
  'split -l 5 x y',
  'csplit x 5',
  'gunzip a.gz',
  'wget https://h.example/x',
  'git update-index --refresh',
  'git interpret-trailers x',
]) {
  test(`${command} stays allowed by a wildcard`, async () => {
    assert.equal(await decideWild(command), 'allow');
  });
}
