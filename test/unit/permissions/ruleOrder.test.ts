import { checkCalls, NOWHERE } from './lines.ts';

// Which of several rules decides: decisions 1 … 3, C-54, C-55, CA-1 … CA-3.

checkCalls('read', [
  // Narrow is inclusion of the pattern; incomparable rules: the strictest.
  ['src/a', ['read src/** deny@project', 'read src/a allow@session'], 'allow'],
  ['src/a', ['read src/** allow', 'read src/a ask'], 'ask'],
  ['src/.env', ['read src/** allow', 'read **/.env deny'], 'deny'],
  ['src/.env', ['read src/.env allow', 'read **/.env deny'], 'allow'],
  ['src/a', ['read src/* deny', 'read src/a allow'], 'allow'],
  ['src/a', ['read src/** allow@session', 'read **/a ask@project'], 'ask'],
  ['src/a', ['read src/** deny', 'read src/* allow', 'read src/a ask'], 'ask'],
  // Scope and age are between equal rules alone.
  ['src/a', ['read src/** ask@session', 'read src/a allow@project'], 'allow'],
  ['src/a', ['read src/** allow@session#9', 'read src/a ask@manifest#1'], 'ask'],
  // A rule that is displaced displaces nothing: one more deny never loosens.
  ['src/a', ['read ** deny', 'read src/** deny', 'read src/a allow'], 'allow'],
  // Equal rules: a deny, then the scope, then the newest, then ask.
  ['src/a', ['read src/** allow@project', 'read src/** ask@session'], 'ask'],
  ['src/a', ['read src/** ask@project', 'read src/** allow@session'], 'allow'],
  ['src/a', ['read src/** allow@manifest', 'read src/** ask@project'], 'ask'],
  ['src/a', ['read src/** ask@manifest', 'read src/** allow@project'], 'allow'],
  ['src/a', ['read src/** allow@session#1', 'read src/** ask@session#2'], 'ask'],
  ['src/a', ['read src/** allow@session#3', 'read src/** ask@session#2'], 'allow'],
  ['src/a', ['read src/** allow@session#0', 'read src/** ask@session'], 'allow'],
  ['src/a', ['read src/** ask@session#0', 'read src/** allow@session'], 'ask'],
  ['src/a', ['read src/** allow@session#2', 'read src/** ask@session#2'], 'ask'],
  ['src/a', ['read src/** allow@session', 'read src/** ask@session'], 'ask'],
  ['src/a', ['read src/** allow@session#9', 'read src/** deny@project#1'], 'deny'],
  ['src/a', ['read src allow@session', 'read src/** ask@project'], 'allow'],
  ['src/a', ['read * allow@session', 'read ** ask@project'], 'allow'],
  // The same words are the same pattern, though an allow of them reaches less than a deny or ask.
  ['src/.env', ['read **/.env deny@project', 'read **/.env allow@session'], 'deny'],
  ['src/.env', ['read **/.env deny', 'read /**/.env allow'], 'deny'],
  ['src/.env', ['read **/.env ask@session', 'read **/.env allow@project'], 'ask'],
  ['src/.env', ['read **/.env ask@project', 'read **/.env allow@session'], 'allow'],
  ['src/.env', ['read **/.env ask@session#5', 'read **/.env allow@session#4'], 'ask'],
  ['src/.env', ['read **/.env ask@session#3', 'read **/.env allow@session#4'], 'allow'],
  ['src/.env', ['read **/.env deny', 'read **/{.env,.env} allow'], 'deny'],
  ['src/a.ts', ['read **/*.{ts,js} deny', 'read **/*.{js,ts} allow'], 'deny'],
  ['src/.env', ['read **/.env deny', 'read {workspace}/**/.env allow'], 'allow'],
  ['src/.env', ['read {workspace}/**/.env deny', 'read **/.env allow'], 'deny'],
  ['src/.env', ['read **/.env deny', 'read **/src/.env allow'], 'allow'],
  ['src/.env', ['read {workspace}/** deny', 'read **/.env allow'], 'allow'],
  ['src/.env', ['fs.read **/.env deny', 'read **/.env allow'], 'allow'],
  [`${NOWHERE}/a`, ['read a deny', 'read a allow'], 'deny', { cwd: '/nonexistent/else' }],
  [`${NOWHERE}/a/b`, ['read a/* ask', 'read a/* allow'], 'ask', { cwd: '/nonexistent/else' }],
  ['~/x', ['read ~/** deny', 'read ~/** allow'], 'deny'],
  // A set of characters covers the names in it.
  ['src/a/x', ['read src/[ab]/** deny', 'read src/a/** allow'], 'allow'],
  ['src/a/x', ['read src/?/** deny', 'read src/a/** allow'], 'allow'],
  ['src/a/x', ['read src/[ab]/** allow', 'read src/a/** deny'], 'deny'],
  ['src/a/x', ['read src/[ab]/** deny', 'read src/a*/** allow'], 'deny'],
  ['src/a/x', ['read src/[ab]/** deny', 'read src/[ab]/x allow'], 'allow'],
  // A manifest deny is final, whatever its width.
  ['src/a', ['read src/** allow@session#9', 'read src/** deny@manifest#1'], 'deny'],
  ['src/a', ['fs.read ** deny@manifest', 'read src/a allow@session'], 'deny'],
  ['src/a', ['* * deny@manifest', 'read src/a allow@session'], 'deny'],
  ['src/a', ['read src/** ask@manifest', 'read src/a allow@session'], 'allow'],
  // Tool id over capability over a family of capabilities over *.
  ['src/a', ['fs.read src/** deny', 'read src/** allow'], 'allow'],
  ['src/a', ['* src/** deny', 'fs.read src/** allow'], 'allow'],
  ['src/a', ['* src/** deny', 'read src/** allow'], 'allow'],
  ['src/a', ['* * deny', 'fs.read ** allow'], 'allow'],
  ['src/a', ['** * deny', '* * allow'], 'deny'],
  ['src/a', ['fs.read src/** deny', '* src/** allow'], 'deny'],
  ['src/a', ['fs.* ** deny', 'fs.read src/** allow'], 'allow'],
  ['src/a', ['fs.* ** deny', 'read src/** allow'], 'allow'],
  ['src/a', ['fs.* src/** deny', '* src/** allow'], 'deny'],
  ['src/a', ['* * allow', 'fs.* src/** deny'], 'deny'],
  ['src/a', ['r* ** deny', 'read ** allow'], 'allow'],
  ['src/a', ['r* ** deny', 'fs.read ** allow'], 'deny'],
  ['src/a', ['r* ** deny', 'rea* ** allow'], 'allow'],
  ['src/a', ['rea* ** deny', 'r* ** allow'], 'deny'],
  // Narrower in one and wider in the other is neither.
  ['src/a', ['* src/a deny', 'read src/** allow'], 'deny'],
  ['src/a', ['* src/a ask', 'read src/** allow'], 'ask'],
  ['src/a', ['fs.write ** deny', 'read src/** allow'], 'allow'],
  ['src/a', ['shell.* ** deny', 'read src/** allow'], 'allow'],
]);

checkCalls('grep', [
  ['src', ['read src/** deny', 'grep ** ask'], 'deny'],
  // A deny of `read` binds a search, one of the capability gives way to the tool's own allow.
  ['src', ['fs.read ** deny', 'grep ** allow'], 'allow'],
  ['src', ['fs.* src deny', 'grep src allow'], 'allow'],
  ['src', ['* * deny', 'grep src allow'], 'allow'],
  ['src', ['fs.read ** deny@manifest', 'grep ** allow'], 'deny'],
  ['src', ['fs.read src deny', 'grep ** allow'], 'deny'],
  ['src', ['read ** deny', 'grep ** allow'], 'deny'],
  ['src', ['fs.read ** deny', 'read src deny', 'grep ** allow'], 'deny'],
  // So does an ask of `read`, unless a rule of the user's allows the search there or in less.
  ['src', ['read ** ask', 'grep ** allow'], 'allow'],
  ['src', ['read ** ask', 'grep src allow'], 'allow'],
  ['src', ['read src ask', 'grep ** allow'], 'ask'],
  ['src', ['read ** ask', 'fs.read ** allow'], 'ask'],
  ['src', ['read ** ask', '* ** allow'], 'ask'],
  ['src', ['read ** ask', 'read src allow', '* ** allow'], 'allow'],
  ['src', ['fs.read ** ask', 'grep ** allow'], 'allow'],
]);

checkCalls('edit', [
  // Reads and writes: each subject by itself, the strictest is the call's.
  ['src/a', ['fs.write src/** allow'], 'ask'],
  ['src/a', ['fs.* src/** allow'], 'allow'],
  ['src/a', ['edit src/** allow'], 'allow'],
  ['src/a', ['edit src/** allow', 'fs.read **/a deny'], 'deny'],
  // Whether it fits tells what is in the file, so it is bound by asks and denies for `read`.
  ['src/a', ['edit src/** allow', 'read src/** deny'], 'deny'],
  ['src/a', ['edit src/** allow', 'read src/** ask'], 'ask'],
]);

checkCalls('write', [
  // What may not be edited is not replaced either. Nothing the other way round: an edit changes less.
  ['src/a', ['fs.write src/** allow', 'edit src/** deny'], 'deny'],
  ['src/a', ['write src/** allow', 'edit src/** ask'], 'ask'],
  ['src/a', ['write src/** allow', 'edit src/b deny'], 'allow'],
  ['src/a', ['edit src/** allow'], 'ask'],
  ['src/a', ['edit src/** deny', 'edit src/a allow', 'write src/** allow'], 'allow'],
]);
checkCalls('edit', [['src/a', ['fs.* src/** allow', 'write src/** deny'], 'allow']]);

checkCalls('bash', [
  ['git push', ['bash git push * allow', 'bash git push deny'], 'deny'],
  ['git push', ['bash git push * allow@session', 'bash git push ask@project'], 'allow'],
  ['git push', ["bash 'git' push allow@session", 'bash git   push ask@project'], 'allow'],
  ['git push origin', ['bash git push * deny', 'bash git push origin allow'], 'allow'],
  ['git push origin x', ['bash git push * deny', 'bash git push origin allow'], 'allow'],
  ['git push', ['bash git* allow', 'bash * push deny'], 'deny'],
  ['git push', ['bash git * push allow', 'bash git push deny'], 'deny'],
  ['git status', ['shell.run git * deny', 'bash git * allow'], 'allow'],
  ['git status', ['shell.run git status deny', 'bash git * allow'], 'deny'],
  ['git status', ['shell.* git status deny', 'bash * allow'], 'deny'],
  ['git status; git push', ['bash git * allow', 'bash git push ask'], 'ask'],
  ['git status; git push', ['bash git * allow', 'bash git push deny'], 'deny'],
  ['git status; make', ['bash git * allow'], 'deny', { headless: true }],
  ['ls', ['bash ls ask'], 'deny', { headless: true }],
  ['ls', ['bash ls allow'], 'allow', { headless: true }],
  // The capability layer comes before every rule.
  ['ls', ['* * allow'], 'refuse', { capabilities: {} }],
  ['ls', ['bash ls deny@manifest'], 'refuse', { capabilities: {} }],
  ['ls', ['bash ls deny@manifest'], 'deny', { capabilities: { shell: [{ cmd: 'ls' }] } }],
  ['ls', ['bash ls ask'], 'deny', { headless: true, capabilities: { shell: [{ cmd: '*' }] } }],
]);

// CS-18, CA-32: both spellings of an MCP tool are the same tool.
checkCalls(
  'mcp:github:create_issue',
  (
    [
      [['mcp:github:* * allow'], 'allow'],
      [['mcp:github:create_issue * allow'], 'allow'],
      [['mcp:github:create * allow'], 'ask'],
      [['mcp:git:* * allow'], 'ask'],
      [['mcp:GITHUB:* * allow'], 'ask'],
      [['mcp:* * allow'], 'allow'],
      [['github_* * allow'], 'allow'],
      [['mcp:*:create_* * deny', 'mcp:github:* * allow'], 'deny'],
      [['mcp:*:shell_* * ask', 'mcp:github:* * allow'], 'allow'],
      [['mcp:*:* * deny', 'mcp:github:* * allow'], 'allow'],
      [['mcp:* * deny', 'mcp:github:create_issue * allow'], 'allow'],
      [['* * deny', 'mcp:github:* * allow'], 'allow'],
      [['mcp:git*:create_* * allow', 'mcp:github:* * deny'], 'deny'],
      [['mcp:github:* * deny@manifest', 'mcp:github:create_issue * allow'], 'deny'],
      [['mcp:github:create_issue * ask@project', 'github_create_issue * allow@session'], 'allow'],
      [['mcp:github:create_issue * deny', 'github_create_issue * allow@session'], 'deny'],
      [['github_create_issue * ask', 'mcp:github:* * allow@session'], 'ask'],
      [['github_* * deny', 'mcp:github:* * allow'], 'deny'],
      [['github_* * ask@project', 'mcp:github:* * allow@session'], 'allow'],
    ] as const
  ).map(([rules, expected]) => [{}, rules, expected]),
);
checkCalls('my_srv_run', [
  [{}, ['mcp:my-srv:* * deny', '* * allow'], 'deny'],
  [{}, ['mcp:my.srv:run * allow'], 'allow'],
  [{}, ['mcp:my:* * allow'], 'allow'],
  [{}, ['mcp:srv:* * allow'], 'ask'],
  [{}, ['mcp:* * deny', '* * allow'], 'deny'],
  [{}, ['mcp:my* * allow'], 'allow'],
  [{}, ['mcp:my * allow'], 'ask'],
]);
// An allow for a tool of the host reaches no tool of a server that is spelled like it; an ask or a deny does.
checkCalls(
  'mcp:web:search',
  (
    [
      ['web_search * allow', 'ask'],
      ['web_* * allow', 'ask'],
      ['w* * allow', 'ask'],
      ['web_sea* * allow', 'ask'],
      ['mcp:web:* * allow', 'allow'],
      ['* * allow', 'allow'],
    ] as const
  ).map(([rule, expected]) => [{}, [rule], expected]),
);
checkCalls('mcp:web:search', [[{}, ['mcp:web:* * allow', 'web_search * deny'], 'deny']]);
checkCalls('mcp:repo:clone', [[{}, ['repo_clone * allow'], 'ask']]);
checkCalls('read', [['a', ['mcp:* * allow'], 'ask']]);

// With `*` as the permission, a glob of files allows neither a command that looks like one nor a top-level domain.
const FILES = ['* **/*.md allow', '* *.md allow', '* docs/** allow', '* docs/* allow'] as const;
checkCalls('bash', [
  ['python3 run.py docs/a.md', FILES, 'ask'],
  ['docs/run.sh', FILES, 'ask'],
  ['docs/x/run.sh a.md', FILES, 'ask'],
  ['python3 run.py a.md', ['bash *.md allow'], 'allow'],
  ['docs/run.sh', ['bash docs/* allow'], 'allow'],
  ['docs/run.sh', ['* docs/run.sh allow'], 'allow'],
  ['npm test', ['* npm* allow'], 'allow'],
  ['npm test', ['* npm * allow'], 'allow'],
  ['cat docs/a.md', [...FILES, '* **/*.md deny'], 'deny'],
]);
checkCalls('read', [['docs/a.md', ['* docs/** allow'], 'allow']]);
checkCalls('write', [['docs/a.md', ['* **/*.md allow'], 'allow']]);
checkCalls('web_fetch', [
  ['https://evil.md/a.md', FILES, 'ask'],
  ['https://evil.md/', ['web_fetch *.md allow'], 'allow'],
  ['https://api.example.com/', ['* *.example.com allow'], 'allow'],
  ['http://box.local/', ['* *.local allow'], 'allow'],
  ['https://evil.md/', ['* *.md deny'], 'deny'],
]);
checkCalls('mcp:a:b', [[{}, ['* **/* allow', '* */* allow'], 'ask']]);
