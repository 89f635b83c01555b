import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { reportLines } from '../../../../src/base/tools/importReport.ts';
import { importFrom, NAMES, plant, toLines, write } from './scene.ts';

const FIXTURES = path.resolve(import.meta.dirname, '../../../fixtures/imported');

/** The settings files of all products, in folders of their own. */
function plantAll(): string {
  const base = plant();
  cpSync(FIXTURES, base, { recursive: true });
  const approvals = path.join(base, NAMES.copilotApprovals);
  const text = readFileSync(approvals, 'utf8');
  writeFileSync(approvals, text.replace('WORKSPACE', path.join(base, 'workspace')));
  return base;
}

/** What the files of one product give, with the rest removed. */
function importOne(...kept: readonly string[]) {
  const base = plantAll();
  for (const folder of ['.claude', '.copilot', '.config/opencode', '.config/Code', '.cline']) {
    if (!kept.includes(folder)) rmSync(path.join(base, 'home', folder), { recursive: true });
  }
  rmSync(path.join(base, 'workspace'), { recursive: true });
  mkdirSync(path.join(base, 'workspace'));
  return importFrom(base);
}

/** The entries that are not imported as they are, with the reason. */
function reasons({ entries }: ReturnType<typeof importFrom>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    entries.flatMap(({ written, reason }) => (reason === undefined ? [] : [[written, reason]])),
  );
}

test('settings of Claude Code', () => {
  const imported = importOne('.claude');
  assert.deepEqual(toLines(imported), [
    'deny bash curl',
    'deny bash rm -rf /*',
    'ask bash wget *',
    'deny fs.read **/.env',
    'deny fs.read **/.env/**',
    'deny fs.read secrets/**',
    'deny fs.write config/prod/**',
    'deny fs.write ~/.claude/config/prod/**',
    'deny net.fetch *.internal.example.com',
    'deny net.fetch internal.example.com',
    'deny mcp:github:delete_repository *',
    'ask bash git push',
    'ask bash npm publish',
    'allow bash npm run test *',
    'allow bash npm run lint',
    'ask bash npm run lint * *',
    'allow bash git log *',
    'allow bash ls *',
    'allow bash python3 scripts/build.py *',
    'allow read src/**',
    'allow read /tmp/build/**',
    'allow read ~/.zshrc',
    'allow read {workspace}/**',
    'allow edit docs/**',
    'allow write docs/**',
    'allow web_fetch docs.example.com',
    'allow web_search *',
    'allow mcp:github:get_issue *',
    'allow mcp:linear:* *',
    'allow skill review',
  ]);
  assert.deepEqual(reasons(imported), {
    'Bash(wget * | sh)': 'A rule is about one command, so its first one asks, whatever follows.',
    'Bash(git push origin main)':
      '`Bash(git push:*)` asks about it, and a narrower rule would override that.',
    'Bash(ls*)': 'The name of the program has to be whole.',
    'Bash(python3:*)': '`python3` runs any code that it is given.',
    'Bash(npx:*)': '`npx` runs any code that it is given.',
    'Bash(git commit -m "fix: *")':
      'A rule is about one command, and compares it after quotes are removed.',
    'Bash(cd src && make)':
      'A rule is about one command, and compares it after quotes are removed.',
    'Bash(*)': 'It would allow every command.',
    Read: 'Only files of the workspace are allowed.',
    Edit: 'It would allow every edit. Choose the approval mode Accept Edits for a session instead.',
    'Write(src/**)': "Claude Code doesn't look at it: patterns are those of Edit.",
    WebFetch: 'It would allow every host.',
    Task: 'Gatehouse asks for each subagent.',
    'defaultMode: acceptEdits': 'Choose the approval mode in the chat.',
  });
});

test('settings of VS Code', () => {
  const imported = importOne('.config/Code');
  const base = plantAll();
  const editor = readFileSync(path.join(base, NAMES.editor), 'utf8');
  const calm = plant({ [NAMES.editor]: editor.replace('"/dangerous/i": false,', '') });
  assert.deepEqual(toLines(importFrom(calm)), [
    'allow bash git status *',
    'allow bash git *',
    'allow bash mkdir *',
    'ask bash rm *',
    'ask bash git push*',
    'allow bash ./scripts/run.sh *',
    'allow bash git log *',
    'allow bash git show *',
    'allow bash npm run build',
    'allow bash npm run test',
    'ask bash npm run build * *',
    'ask bash npm run test * *',
    'allow bash cargo check * *',
    'allow bash cargo check',
    'allow bash cargo clippy * *',
    'allow bash cargo clippy',
    "ask bash cargo check*'\n'*",
    "ask bash cargo clippy*'\n'*",
    'allow bash go test * *',
    'allow bash go test',
    'allow bash go vet * *',
    'allow bash go vet',
    'ask bash find*-delete*',
    'ask bash find*-exec*',
    'ask bash *--force*',
    'allow web_fetch *.example.org:443',
    'ask net.fetch evil.example.net',
    'allow edit docs/**',
    'allow write docs/**',
    'ask fs.write **/package.json',
    'ask fs.write **/package.json/**',
    'ask fs.write **/*.{yml,yaml}',
    'ask fs.write **/*.{yml,yaml}/**',
  ]);
  // With an expression that may match anything, no command is allowed.
  const commands = toLines(imported).filter((line) => line.startsWith('allow bash'));
  assert.deepEqual(commands, []);
  const found = reasons(imported);
  assert.match(
    found['git status: true'] ?? '',
    /`\/dangerous\/i: false` may ask about it, and no rule/,
  );
  assert.match(found['/^docker compose up$/: true (whole line)'] ?? '', /a whole line/);
  assert.match(found['/^kubectl get (?!secrets)/: true'] ?? '', /No pattern matches only what/);
  assert.match(found['https://registry.npmjs.org: true'] ?? '', /what the host answers/);
});

test('settings and approvals of Copilot CLI, of this folder only', () => {
  const base = plantAll();
  for (const folder of ['.claude', '.config', '.cline']) {
    rmSync(path.join(base, 'home', folder), { recursive: true });
  }
  rmSync(path.join(base, 'workspace'), { recursive: true });
  mkdirSync(path.join(base, 'workspace'));
  const imported = importFrom(base);
  assert.deepEqual(toLines(imported), [
    'deny net.fetch ads.example.com',
    'allow web_fetch api.github.com:443',
    'allow web_fetch docs.github.com:443',
    'allow bash git fetch *',
    'allow bash pnpm *',
    'allow bash git',
    'ask bash git * *',
    'allow mcp:playwright:* *',
    'allow mcp:github:list_issues *',
  ]);
  const own = imported.rules.filter(({ destination }) => destination === 'workspace');
  assert.equal(own.length, 6, 'approvals of a folder are rules of it');
});

test('settings of OpenCode, where the last rule decides', () => {
  const imported = importOne('.config/opencode');
  assert.deepEqual(toLines(imported), [
    'allow bash git diff *',
    'allow bash git *',
    'deny bash git push *',
    'allow bash git push --dry-run',
    'deny bash git push --dry-run * *',
    'deny bash terraform *',
    'allow bash terraform plan*',
    'allow bash make *',
    'allow read {workspace}/**',
    'deny fs.read **/*.env',
    'deny fs.read **/*.env/**',
    'allow read **/*.env.example',
    'deny fs.write *',
    'allow edit packages/web/src/content/docs/*.mdx',
    'allow write packages/web/src/content/docs/*.mdx',
    'allow edit notes/**',
    'allow write notes/**',
    'deny fs.read ~/.ssh/*',
    'deny fs.read ~/.ssh/*/**',
    'deny fs.write ~/.ssh/*',
    'deny fs.write ~/.ssh/*/**',
    'allow web_search *',
    'deny skill *',
  ]);
  const found = reasons(imported);
  assert.match(found['bash npm run t?st: allow'] ?? '', /no sign for one character/);
  assert.match(found['webfetch *: allow'] ?? '', /every host/);
});

test('settings of Cline', () => {
  const imported = importOne('.cline');
  assert.deepEqual(toLines(imported), [
    'allow read {workspace}/**',
    'allow mcp:sqlite:read_query *',
  ]);
  assert.match(reasons(imported)['executeSafeCommands'] ?? '', /The model decides/);
});

test('rules of a workspace are saved in its settings, and a deny of any product comes first', () => {
  const imported = importFrom(plantAll());
  const own = imported.rules.filter(({ destination }) => destination === 'workspace');
  assert.deepEqual(toLines({ rules: own }), [
    'allow bash git fetch *',
    'allow bash pnpm *',
    'allow bash git',
    'ask bash git * *',
    'allow mcp:playwright:* *',
    'allow mcp:github:list_issues *',
    'deny bash make deploy',
    'allow bash make test *',
    'allow bash cargo test *',
    'allow bash just *',
    'deny bash just release *',
  ]);
  const found = reasons(imported);
  assert.match(found['Read(.env)'] ?? '', /`Read\(.env\)` denies it/);
  assert.match(found['Bash(make deploy --dry-run)'] ?? '', /`Bash\(make deploy:\*\)` denies it/);
});

test('nothing of a workspace that is not trusted is read', () => {
  const base = plantAll();
  const { files, rules } = importFrom(base, [], false);
  assert.ok(files.every(({ source }) => !source.path.startsWith(path.join(base, 'workspace'))));
  assert.ok(rules.every(({ destination }) => destination === 'user'));
});

test('rules that are there already are not saved again, and own rules are not overridden', () => {
  const base = plant({
    [NAMES.claude]: {
      permissions: { allow: ['Bash(npm test:*)', 'Bash(git push origin:*)', 'Bash(make)'] },
    },
  });
  const destination = 'user';
  const imported = importFrom(base, [
    { permission: 'bash', pattern: 'npm *', action: 'allow', destination },
    { permission: 'bash', pattern: 'git push', action: 'deny', destination },
    { permission: 'bash', pattern: 'make', action: 'allow', destination: 'workspace' },
  ]);
  assert.deepEqual(toLines(imported), ['allow bash make', 'ask bash make * *']);
  const [first, second] = imported.entries;
  assert.equal(first?.known, true);
  assert.match(second?.reason ?? '', /^Your rule `bash git push` denies it/);
});

for (const [what, text, problem] of [
  ['is no JSON', '{"permissions": {"deny": ["Bash(rm:*)"', /It isn't valid JSON: line 1, /],
  ['is no object', '[]', /It doesn't contain a JSON object\./],
  ['is not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), /It can't be read: it is not UTF-8\./],
  ['is too long', `{"a": "${'x'.repeat(5_000_000)}"}`, /It can't be read: it is longer/],
  [
    'has too many rules',
    JSON.stringify({
      permissions: { allow: Array.from({ length: 2001 }, (_, at) => `Bash(a${at})`) },
    }),
    /It has more than 2000 rules\./,
  ],
] as const) {
  test(`a file that ${what} is told, and nothing of its product is allowed`, () => {
    const base = plant({
      [NAMES.claudeWorkspace]: { permissions: { allow: ['Bash(ls:*)'], deny: ['Bash(rm:*)'] } },
      [NAMES.openCode]: { permission: { bash: { 'git log': 'allow' } } },
    });
    write(base, { [NAMES.claude]: '' });
    writeFileSync(path.join(base, NAMES.claude), text);
    const imported = importFrom(base);
    assert.match(imported.files.find((each) => each.problem)?.problem ?? '', problem);
    assert.deepEqual(toLines(imported), [
      'allow bash git log',
      'ask bash git log * *',
      'deny bash rm',
    ]);
  });
}

test('comments, trailing commas, links and odd values', () => {
  const base = plant({
    'elsewhere.json':
      '{ // mine\n "permissions": { "allow": ["Bash(ls:*)", 7, "Bash(rm"], "deny": {} }, }',
  });
  mkdirSync(path.join(base, 'home/.claude'), { recursive: true });
  symlinkSync(path.join(base, 'elsewhere.json'), path.join(base, NAMES.claude));
  symlinkSync(base, path.join(base, 'home/.copilot'));
  const imported = importFrom(base);
  // A list of denies that can't be read may deny anything.
  assert.deepEqual(toLines(imported), []);
  assert.match(reasons(imported)['permissions.deny'] ?? '', /It isn't a list/);
  assert.match(reasons(imported)['Bash(ls:*)'] ?? '', /`permissions.deny` may deny it/);
});

test('the report names the files, the rules, and each entry that says less with its reason', () => {
  const base = plant({
    [NAMES.claude]: {
      permissions: { allow: ['Bash(ls*)', 'Bash(*)', 'Bash(make:*)'], deny: ['Read(.env)'] },
    },
    [NAMES.openCode]: '{',
  });
  const lines = reportLines(importFrom(base)).map((line) => line.replace(base, ''));
  assert.deepEqual(lines, [
    'Files (2)',
    `  Claude Code  /${NAMES.claude}: 4 rules`,
    `  OpenCode  /${NAMES.openCode}: It isn't valid JSON: line 1, CloseBraceExpected.`,
    '',
    'Rules for the user settings (4)',
    '  deny   fs.read  **/.env',
    '  deny   fs.read  **/.env/**',
    '  allow  bash  ls *',
    '  allow  bash  make *',
    '',
    'Tightened: the rules above allow less (1)',
    '  Claude Code  allow Bash(ls*): The name of the program has to be whole.',
    '',
    'Not imported (1)',
    '  Claude Code  allow Bash(*): It would allow every command.',
  ]);
  assert.match(reportLines(importFrom(plant())).join(), /^No settings of Claude Code/);
});
